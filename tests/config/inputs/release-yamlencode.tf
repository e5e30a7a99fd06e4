resource "helm_release" "yunikorn" {
  depends_on = [kubernetes_namespace.yunikorn]
  values = [yamlencode({
    image = { tag = "scheduler-${var.version}" }
    yunikornDefaults = {
      "service.volumeBindTimeout" = "60s"
      "queues.yaml" = <<EOF
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: etl
            odd: 1
EOF
    }
  })]
}
