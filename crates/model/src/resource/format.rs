//! How resources are written: serialized as maps, and formatted for messages and debugging.

use std::fmt;

use serde::ser::SerializeMap as _;

use super::Resource;
use crate::quantity::show_amount;
use crate::saved::Text;

impl serde::Serialize for Resource {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.len()))?;
        for (name, amount) in self.iter() {
            map.serialize_entry(name, &amount)?;
        }
        map.end()
    }
}

impl<'de> serde::Deserialize<'de> for Resource {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(AmountsVisitor)
    }
}

struct AmountsVisitor;

impl<'de> serde::de::Visitor<'de> for AmountsVisitor {
    type Value = Resource;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of resource names and quantities")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Resource, A::Error> {
        let mut resource = Resource::new();
        while let Some((name, amount)) = map.next_entry::<Text<'de>, i64>()? {
            resource.set(&name.0, amount);
        }
        Ok(resource)
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl fmt::Display for Resource {
    /// `memory 2Gi, vcore 1.5`; `nothing` without names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        for (i, (name, amount)) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{name} {}", show_amount(name, amount))?;
        }
        Ok(())
    }
}
