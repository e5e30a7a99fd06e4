resource "kubernetes_config_map" "yunikorn" {
  metadata {
    name = "yunikorn-configs"
  }
  data = {
    "log.level" = "INFO"
    "queues.yaml" = yamlencode({
        partitions = [
          {
            name = "default" # the only one
            queues = [{
              name      = "root"
              submitacl = "*"
              queues    = [{ name = "etl", odd = 1 }]
            }]
          },
        ]
      })
  }
}
