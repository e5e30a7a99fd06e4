resource "helm_release" "yunikorn" {
  set {
    name  = "yunikornDefaults.queues\\.yaml"
    value = <<-YAML
      partitions:
        - name: default
          queues:
            - name: root
              submitacl: '*'
              queues:
                - name: etl
                  odd: 1
    YAML
  }
}
