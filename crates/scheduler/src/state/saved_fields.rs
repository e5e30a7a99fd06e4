//! Fields with their own saved form, and placeholders for fields that are not saved.

use std::sync::{Arc, LazyLock};

use crate::interface::switches::Switches;
use crate::placement::{Placement, PlacementOutcome, Record, Refusal};
use model::Profile;

pub(super) fn no_record() -> Arc<Record> {
    static NONE: LazyLock<Arc<Record>> = LazyLock::new(|| {
        let refused = Refusal::NoUser.into();
        let placement = Placement { outcome: PlacementOutcome::Refused(refused), trace: Default::default() };
        Arc::new(Record { rules: Arc::default(), placement })
    });
    Arc::clone(&NONE)
}

pub(super) const fn no_switches() -> Switches {
    Switches::of(Profile::Kornsole)
}

pub(super) mod template {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use config::TemplateConfig;
    use model::QueuePath;

    type Template = Option<(QueuePath, Arc<TemplateConfig>)>;

    pub fn serialize<S: Serializer>(template: &Template, to: S) -> Result<S::Ok, S::Error> {
        template.as_ref().map(|(from, template)| (from, &**template)).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Template, D::Error> {
        let template = Option::<(QueuePath, TemplateConfig)>::deserialize(from)?;
        Ok(template.map(|(from, template)| (from, Arc::new(template))))
    }
}
