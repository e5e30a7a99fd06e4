locals {
  zones = [for zone in var.zones : zone.name]
  queues = {
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
  }
}

resource "kubernetes_config_map" "yunikorn" {
  metadata { name = "yunikorn-configs" }
  data = { "queues.yaml" = yamlencode(local.queues) }
}
