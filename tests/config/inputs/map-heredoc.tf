resource "kubernetes_config_map_v1" "yunikorn" {
  metadata {
    name      = "yunikorn-configs"
    namespace = "yunikorn"
    labels    = merge(local.labels, { app = "yunikorn" })
  }
  data = {
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
}
