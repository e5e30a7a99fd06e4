resource "kubernetes_manifest" "yunikorn" {
  manifest = {
    apiVersion = "v1"
    kind       = "ConfigMap"
    metadata   = { name = "yunikorn-configs", namespace = var.namespace }
    data = {
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
}
