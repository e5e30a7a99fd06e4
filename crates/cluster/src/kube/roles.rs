//! The rules of access that kornsole needs, as manifests.

/// A role of kornsole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads everything that the console shows.
    Viewer,
    /// Also kills applications and cordons nodes.
    Operator,
    /// Also changes the configuration.
    Admin,
    /// The scheduler: service account, rights, and Deployment.
    Scheduler,
    /// Follows another scheduler and its inputs.
    Shadow,
}

impl Role {
    /// Returns the name in the manifests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
            Self::Scheduler => "scheduler",
            Self::Shadow => "shadow",
        }
    }
}

/// Returns manifests, each with a leading `---`; `namespace` is the scheduler's, `group` gets the binding.
pub fn manifests(role: Role, namespace: &str, group: &str) -> String {
    if role == Role::Scheduler {
        return SCHEDULER.replace("$NAMESPACE", namespace);
    }
    let name = format!("kornsole-{}", role.name());
    let mut here = vec![
        r#"{apiGroups: [""], resources: [services], resourceNames: [yunikorn-service], verbs: [get]}"#,
        r#"{apiGroups: [""], resources: [services/proxy], resourceNames: ["yunikorn-service:yunikorn-core"], verbs: [get]}"#,
        r#"{apiGroups: [""], resources: [configmaps], resourceNames: [yunikorn-configs, yunikorn-defaults], verbs: [get]}"#,
    ];
    let mut all = vec![
        r#"{apiGroups: [""], resources: [nodes, namespaces], verbs: [get, list, watch]}"#,
        r#"{apiGroups: [scheduling.k8s.io], resources: [priorityclasses], verbs: [get, list, watch]}"#,
    ];
    if role == Role::Shadow {
        here.pop();
        here.push(r#"{apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}"#);
        all = vec![
            r#"{apiGroups: [""], resources: [pods, nodes, namespaces, persistentvolumes, persistentvolumeclaims], verbs: [get, list, watch]}"#,
            r#"{apiGroups: [scheduling.k8s.io], resources: [priorityclasses], verbs: [get, list, watch]}"#,
            r#"{apiGroups: [storage.k8s.io], resources: [storageclasses, csinodes, volumeattachments], verbs: [get, list, watch]}"#,
            r#"{apiGroups: [events.k8s.io], resources: [events], verbs: [get, list, watch]} # times of the decisions"#,
        ];
    }
    if matches!(role, Role::Operator | Role::Admin) {
        here.push(r#"{apiGroups: [""], resources: [events], verbs: [create]} # operations are recorded as events on yunikorn-configs"#);
        all.push(r#"{apiGroups: [apps], resources: [replicasets, deployments, statefulsets], verbs: [get]}"#);
        all.push(r#"{apiGroups: [batch], resources: [jobs, cronjobs], verbs: [get, patch]} # to suspend the owners that recreate pods"#);
        all.push(r#"{apiGroups: [sparkoperator.k8s.io], resources: [sparkapplications], verbs: [get, patch]}"#);
        all.push(r#"{apiGroups: [ray.io], resources: [rayclusters, rayjobs], verbs: [get, patch]}"#);
        all.push(r#"{apiGroups: [""], resources: [pods], verbs: [get, list, watch, delete]}"#);
        all.push(r#"{apiGroups: [""], resources: [persistentvolumes, persistentvolumeclaims], verbs: [list]} # to find nodes for pods with volumes"#);
        all.push(
            r#"{apiGroups: [storage.k8s.io], resources: [storageclasses, csinodes, volumeattachments], verbs: [list]}"#,
        );
        all.push(r#"{apiGroups: [""], resources: [pods/log], verbs: [get]} # logs of containers"#);
        all.push(r#"{apiGroups: [events.k8s.io], resources: [events], verbs: [list]}"#);
        all.push(r#"{apiGroups: [""], resources: [nodes], verbs: [patch]}"#);
    }
    if role == Role::Admin {
        here.extend([
            r#"{apiGroups: [""], resources: [services/proxy], resourceNames: ["yunikorn-service:yunikorn-core"], verbs: [create]}"#,
            r#"{apiGroups: [""], resources: [configmaps], resourceNames: [yunikorn-configs], verbs: [patch]}"#,
            r#"{apiGroups: [""], resources: [configmaps], verbs: [create]} # only while yunikorn-configs does not exist"#,
            r#"{apiGroups: [""], resources: [pods], verbs: [get, list]}"#,
            r#"{apiGroups: [""], resources: [pods/log], verbs: [get]} # why the scheduler rejected a configuration"#,
            r#"{apiGroups: [""], resources: [pods/portforward], verbs: [get, create]} # allows access to every port of every pod in the namespace"#,
        ]);
    }
    let kinds = [("Role", "RoleBinding", Some(namespace), here), ("ClusterRole", "ClusterRoleBinding", None, all)];
    let mut text = String::new();
    for (kind, binding, within, rules) in kinds {
        let place = within.map(|namespace| format!(", namespace: {namespace}")).unwrap_or_default();
        let head = |kind: &str| {
            format!("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {{name: {name}{place}}}\n")
        };
        text += &head(kind);
        text += "rules:\n";
        rules.iter().for_each(|rule| text += &format!("- {rule}\n"));
        text += &head(binding);
        text += &format!("roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {kind}, name: {name}}}\n");
        text += &format!("subjects: [{{kind: Group, apiGroup: rbac.authorization.k8s.io, name: {group:?}}}]\n");
    }
    text
}

/// The scheduler: its rights, and a Deployment of two instances, one of which is active.
const SCHEDULER: &str = r#"# Explanations and operations in a console need a token. Create it with:
#   kornsole token new --user ann --group dev --file tokens.yaml > ann.token
#   kubectl --namespace $NAMESPACE create secret generic kornsole-tokens --from-file=tokens.yaml
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: kornsole-scheduler, namespace: $NAMESPACE}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: kornsole-scheduler}
rules:
- {apiGroups: [""], resources: [pods, nodes, namespaces, persistentvolumes, persistentvolumeclaims], verbs: [get, list, watch]}
- {apiGroups: [scheduling.k8s.io], resources: [priorityclasses], verbs: [get, list, watch]}
- {apiGroups: [storage.k8s.io], resources: [storageclasses, csinodes, volumeattachments], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [pods/binding], verbs: [create]}
- {apiGroups: [""], resources: [pods/status], verbs: [patch]}
- {apiGroups: [""], resources: [pods], verbs: [create, delete]} # placeholders of gangs; victims
- {apiGroups: [""], resources: [pods/finalizers], verbs: [update]} # placeholders have an owner; some clusters check this permission
- {apiGroups: [events.k8s.io], resources: [events], verbs: [create]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: kornsole-scheduler}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: kornsole-scheduler}
subjects: [{kind: ServiceAccount, name: kornsole-scheduler, namespace: $NAMESPACE}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: kornsole-scheduler, namespace: $NAMESPACE}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: kornsole-scheduler, namespace: $NAMESPACE}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: kornsole-scheduler}
subjects: [{kind: ServiceAccount, name: kornsole-scheduler, namespace: $NAMESPACE}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: kornsole-scheduler, namespace: $NAMESPACE, labels: {app: kornsole, component: kornsole-scheduler}}
spec:
  replicas: 2
  selector: {matchLabels: {app: kornsole, component: kornsole-scheduler}}
  template:
    metadata: {labels: {app: kornsole, component: kornsole-scheduler}}
    spec:
      serviceAccountName: kornsole-scheduler
      priorityClassName: system-cluster-critical
      terminationGracePeriodSeconds: 30
      securityContext: {fsGroup: 10001} # can read the tokens
      volumes: [{name: tokens, secret: {secretName: kornsole-tokens, optional: true, defaultMode: 0440}}]
      containers:
      - name: kornsole
        image: kornsole:latest # built by the Dockerfile
        # A port-forward encrypts up to the pod. The Service does not: use --tls-cert and --tls-key to protect tokens there too.
        args: [kube, schedule, --listen, "0.0.0.0:9080", --probes, "0.0.0.0:9081",
          --tokens, /etc/kornsole/tokens.yaml, --insecure-plain-http]
        env: [{name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}},
          {name: POD_UID, valueFrom: {fieldRef: {fieldPath: metadata.uid}}}] # a restarted container takes its own lease immediately
        ports: [{name: http1, containerPort: 9080}, {name: probes, containerPort: 9081}]
        livenessProbe: {httpGet: {path: /livez, port: probes}, periodSeconds: 10}
        readinessProbe: {httpGet: {path: /readyz, port: probes}, periodSeconds: 5}
        resources: {requests: {cpu: 500m, memory: 512Mi}, limits: {memory: 2Gi}}
        volumeMounts: [{name: tokens, mountPath: /etc/kornsole, readOnly: true}]
        securityContext:
          runAsNonRoot: true
          runAsUser: 10001
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities: {drop: [ALL]}
          seccompProfile: {type: RuntimeDefault}
---
apiVersion: v1
kind: Service
metadata: {name: kornsole-scheduler, namespace: $NAMESPACE, labels: {app: kornsole}}
spec:
  selector: {app: kornsole, component: kornsole-scheduler}
  ports: [{name: yunikorn-core, port: 9080, targetPort: http1}]
"#;
