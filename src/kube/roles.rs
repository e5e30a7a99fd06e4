//! The rules of access that kornsole needs, as manifests.

/// Who somebody is for kornsole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Looks at everything that the console shows, and changes nothing.
    Viewer,
    /// Kills applications and cordons nodes, besides.
    Operator,
    /// Changes the configuration, besides.
    Admin,
}

impl Role {
    /// The name that the manifests give the role.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

/// The manifests of a role, each document behind `---`; `namespace` is the scheduler's, `group` who is bound to it.
pub fn manifests(role: Role, namespace: &str, group: &str) -> String {
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
    if matches!(role, Role::Operator | Role::Admin) {
        here.push(r#"{apiGroups: [""], resources: [events], verbs: [create]} # orders are noted on yunikorn-configs"#);
        all.push(r#"{apiGroups: [apps], resources: [replicasets, deployments, statefulsets], verbs: [get]}"#);
        all.push(r#"{apiGroups: [batch], resources: [jobs, cronjobs], verbs: [get, patch]} # to suspend what makes pods again"#);
        all.push(r#"{apiGroups: [sparkoperator.k8s.io], resources: [sparkapplications], verbs: [get, patch]}"#);
        all.push(r#"{apiGroups: [ray.io], resources: [rayclusters, rayjobs], verbs: [get, patch]}"#);
        all.push(r#"{apiGroups: [""], resources: [pods], verbs: [get, list, watch, delete]}"#);
        all.push(r#"{apiGroups: [""], resources: [pods/log], verbs: [get]} # what containers wrote"#);
        all.push(r#"{apiGroups: [events.k8s.io], resources: [events], verbs: [list]}"#);
        all.push(r#"{apiGroups: [""], resources: [nodes], verbs: [patch]}"#);
    }
    if role == Role::Admin {
        here.extend([
            r#"{apiGroups: [""], resources: [services/proxy], resourceNames: ["yunikorn-service:yunikorn-core"], verbs: [create]}"#,
            r#"{apiGroups: [""], resources: [configmaps], resourceNames: [yunikorn-configs], verbs: [patch]}"#,
            r#"{apiGroups: [""], resources: [configmaps], verbs: [create]} # until yunikorn-configs is there"#,
            r#"{apiGroups: [""], resources: [pods], verbs: [get, list]}"#,
            r#"{apiGroups: [""], resources: [pods/log], verbs: [get]} # why the scheduler refused a configuration"#,
            r#"{apiGroups: [""], resources: [pods/portforward], verbs: [get, create]} # opens every port of every pod here"#,
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
