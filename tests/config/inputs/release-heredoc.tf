terraform {
  required_version = ">= 1.5"
}

# the scheduler
resource "helm_release" "yunikorn" {
  name  = "yunikorn"
  chart = "yunikorn"
  count = var.enabled ? 1 : 0
  values = [
    <<-EOT
    yunikornDefaults:
      queues.yaml: |
        partitions:
          - name: default
            queues:
              - name: root
                submitacl: '*'
                queues:
                  - name: etl
                    odd: 1
    EOT
  ]
  set {
    name  = "web.replicas"
    value = "1"
  }
}
