cluster = "prod"
queues_yaml = <<-EOT
  partitions:
    - name: default
      queues:
        - name: root
          submitacl: '*'
          queues:
            - name: etl
              odd: 1
EOT
