//! The resources of this machine, from `/proc` and sysfs.

use std::fs;
use std::path::Path;
use std::thread::available_parallelism;

use super::job::GPU;
use super::wire::GpuUse;
use model::{MEMORY, NodeId, Resource, VCORE, quantity};

/// One part in this many of the memory is reserved for the system.
const RESERVED_PART: i64 = 20;

/// Formats resources: `1 core, 4Gi, 0 GPUs`. vcore in millicores, memory in bytes.
pub fn in_words(vcore: i64, memory: i64, gpu: i64) -> String {
    let one = |amount: i64, one: i64, word: &str| format!("{word}{}", if amount == one { "" } else { "s" });
    let (cores, memory) = (quantity::show_vcore(vcore), quantity::show_memory(memory));
    format!("{cores} {}, {memory}, {gpu} {}", one(vcore, 1000, "core"), one(gpu, 1, "GPU"))
}

/// The vendor of the GPUs, which determines the variable for a job's GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuMaker {
    /// None, or a vendor without such a variable.
    #[default]
    Unknown,
    /// Jobs find their GPUs in `CUDA_VISIBLE_DEVICES`.
    Nvidia,
    /// Jobs find their GPUs in `ROCR_VISIBLE_DEVICES`.
    Amd,
    /// Jobs find their GPUs in `ZE_AFFINITY_MASK`.
    Intel,
}

/// This machine, as a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The host name.
    pub name: String,
    /// Thousandths of a core.
    pub vcore: i64,
    /// Bytes available to jobs.
    pub memory: i64,
    /// Number of GPUs.
    pub gpu: i64,
    /// Vendor of the GPUs.
    pub maker: GpuMaker,
}

impl Machine {
    /// Detects the resources. A twentieth of the memory is reserved for the system.
    pub fn find() -> Self {
        Self::below(Path::new("/"))
    }

    fn below(root: &Path) -> Self {
        let read = |file: &str| fs::read_to_string(root.join(file)).unwrap_or_default();
        let name = read("proc/sys/kernel/hostname").trim().to_owned();
        let cores = available_parallelism().map_or(1, usize::from);
        let memory = memory_total(&read("proc/meminfo"));
        let (gpu, maker) = match (nvidia_gpus(root), amd_gpus(root).len(), intel_gpus(root)) {
            (0, 0, 0) => (0, GpuMaker::Unknown),
            (0, 0, intel) => (intel, GpuMaker::Intel),
            (0, amd, _) => (amd, GpuMaker::Amd),
            (nvidia, ..) => (nvidia, GpuMaker::Nvidia),
        };
        Self {
            name: if name.is_empty() { "localhost".to_owned() } else { name },
            vcore: i64::try_from(cores).unwrap_or(1) * 1000,
            memory: memory - memory / RESERVED_PART,
            gpu: i64::try_from(gpu).unwrap_or_default(),
            maker,
        }
    }

    /// Returns the node ID.
    pub fn node(&self) -> NodeId {
        NodeId::from(self.name.as_str())
    }

    /// Returns the total capacity for jobs.
    pub fn capacity(&self) -> Resource {
        let mut capacity = Resource::new();
        capacity.set(VCORE, self.vcore);
        capacity.set(MEMORY, self.memory);
        if self.gpu > 0 {
            capacity.set(GPU, self.gpu);
        }
        capacity
    }

    /// Returns the current usage of a GPU. Only AMD's driver reports it in files.
    pub fn gpu_use(&self, index: u32) -> GpuUse {
        self.gpu_use_below(Path::new("/"), index)
    }

    fn gpu_use_below(&self, root: &Path, index: u32) -> GpuUse {
        let of_driver = || {
            let nodes = amd_gpus(root);
            let minor = nodes.get(usize::try_from(index).ok()?)?.render_minor?;
            let device = root.join(format!("sys/class/drm/renderD{minor}/device"));
            let number = |file: &str| fs::read_to_string(device.join(file)).ok()?.trim().parse::<u64>().ok();
            Some((number("gpu_busy_percent").and_then(|busy| u8::try_from(busy).ok()), number("mem_info_vram_used")))
        };
        let (busy, memory) = (self.maker == GpuMaker::Amd).then(of_driver).flatten().unwrap_or_default();
        GpuUse { index, busy, memory }
    }

    /// Returns the variables that restrict a job to its GPUs.
    pub fn gpu_variables(&self, gpus: &[u32]) -> Vec<(String, String)> {
        let list = gpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let names: &[&str] = match self.maker {
            _ if self.gpu == 0 => &[],
            GpuMaker::Nvidia => &["CUDA_VISIBLE_DEVICES"],
            GpuMaker::Amd => &["ROCR_VISIBLE_DEVICES"],
            GpuMaker::Intel => &["ZE_AFFINITY_MASK"],
            GpuMaker::Unknown => &["CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"],
        };
        names.iter().map(|name| ((*name).to_owned(), list.clone())).collect()
    }
}

fn memory_total(text: &str) -> i64 {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<i64>().ok()).unwrap_or_default() * 1024
}

struct AmdGpu {
    render_minor: Option<u32>,
}

fn numbered(dir: &Path, prefix: &str) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is = |name: &String| name.strip_prefix(prefix).is_some_and(|rest| rest.parse::<u32>().is_ok());
    names.filter(is).collect()
}

/// Counts NVIDIA GPUs by their devices: a container may have only some of the driver's GPUs. A driver creates the
/// devices at first use; before that, the driver's list is used.
fn nvidia_gpus(root: &Path) -> usize {
    match numbered(&root.join("dev"), "nvidia").len() {
        0 => fs::read_dir(root.join("proc/driver/nvidia/gpus")).map_or(0, Iterator::count),
        devices => devices,
    }
}

/// The integrated GPU drives the screen and does not count.
fn intel_gpus(root: &Path) -> usize {
    let drm = root.join("sys/class/drm");
    let is = |name: &String| {
        let read = |file: &str| fs::read_to_string(drm.join(name).join("device").join(file)).unwrap_or_default();
        let in_processor = read("uevent").lines().any(|line| line == "PCI_SLOT_NAME=0000:00:02.0");
        read("vendor").trim() == "0x8086" && !in_processor && root.join("dev/dri").join(name).exists()
    };
    numbered(&drm, "renderD").iter().filter(|name| is(name)).count()
}

/// Nodes with SIMD units. Without a compute device the list is empty.
fn amd_gpus(root: &Path) -> Vec<AmdGpu> {
    if !root.join("dev/kfd").exists() {
        return Vec::new();
    }
    let nodes = &root.join("sys/class/kfd/kfd/topology/nodes");
    let entries = fs::read_dir(nodes).into_iter().flatten().flatten();
    let mut numbers: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    let properties =
        numbers.iter().map(|number| fs::read_to_string(nodes.join(format!("{number}/properties"))).unwrap_or_default());
    let gpu = |text: String| {
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name))?.trim().parse::<u32>().ok();
        let render_minor = field("drm_render_minor ");
        let has_device = render_minor.is_none_or(|minor| root.join(format!("dev/dri/renderD{minor}")).exists());
        (field("simd_count ")? > 0 && has_device).then_some(AmdGpu { render_minor })
    };
    properties.filter_map(gpu).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fake(name: &str, files: &[(&str, &str)]) -> (Machine, GpuUse) {
        let root = std::env::temp_dir().join(format!("kornsole-machine-{}-{name}", std::process::id()));
        for (file, text) in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let found = Machine::below(&root);
        let first = found.gpu_use_below(&root, 0);
        fs::remove_dir_all(&root).unwrap();
        (found, first)
    }

    #[test]
    fn one_of_something_is_not_many() {
        assert_eq!(in_words(1000, 4 << 30, 1), "1 core, 4Gi, 1 GPU");
        assert_eq!(in_words(500, 4 << 30, 0), "0.5 cores, 4Gi, 0 GPUs");
    }

    #[test]
    fn gpus_and_memory_are_found() {
        let memory = ("proc/meminfo", "MemTotal:       2000000 kB\nMemFree: 1 kB\n");
        let nvidia = [("proc/driver/nvidia/gpus/0000:01:00.0/information", ""), memory];
        let (found, first) = fake("nvidia", &nvidia);
        assert_eq!(first, GpuUse { index: 0, busy: None, memory: None }, "its driver has no file for that");
        assert_eq!((found.gpu, found.maker), (1, GpuMaker::Nvidia));
        assert_eq!(found.memory, 2_000_000 * 1024 / 20 * 19);
        assert_eq!(found.gpu_variables(&[0]), [("CUDA_VISIBLE_DEVICES".to_owned(), "0".to_owned())]);
        let node = |number: u32| format!("sys/class/kfd/kfd/topology/nodes/{number}/properties");
        let device = |file: &str| format!("sys/class/drm/renderD129/device/{file}");
        let amd = [
            (node(0), "cpu_cores_count 8\nsimd_count 0\n"),
            (node(1), "simd_count 256\ndrm_render_minor 129\n"),
            (node(2), "simd_count 256\ndrm_render_minor 130\n"),
            ("dev/kfd".to_owned(), ""),
            ("dev/dri/renderD129".to_owned(), ""),
            (device("gpu_busy_percent"), "87\n"),
            (device("mem_info_vram_used"), "1048576\n"),
        ];
        let amd: Vec<(&str, &str)> = amd.iter().map(|(file, text)| (file.as_str(), *text)).collect();
        let (found, first) = fake("amd", &amd);
        assert_eq!(first, GpuUse { index: 0, busy: Some(87), memory: Some(1 << 20) });
        assert_eq!((found.gpu, found.maker), (1, GpuMaker::Amd));
        assert_eq!(found.gpu_variables(&[]), [("ROCR_VISIBLE_DEVICES".to_owned(), String::new())], "it sees none");
    }

    #[test]
    fn only_devices_that_are_there_count() {
        let (found, _) = fake("none", &[("sys/class/kfd/kfd/topology/nodes/1/properties", "simd_count 256\n")]);
        assert_eq!((found.gpu, found.maker), (0, GpuMaker::Unknown), "a driver without a device");
        assert!(found.gpu_variables(&[]).is_empty());
        let nvidia = [
            ("proc/driver/nvidia/gpus/0000:01:00.0/information", ""),
            ("proc/driver/nvidia/gpus/0000:02:00.0/information", ""),
            ("dev/nvidia1", ""),
            ("dev/nvidiactl", ""),
            ("dev/nvidia-uvm", ""),
        ];
        assert_eq!(fake("container", &nvidia).0.gpu, 1, "a container has one of two");
        let intel = [
            ("sys/class/drm/renderD128/device/vendor", "0x8086\n"),
            ("sys/class/drm/renderD128/device/uevent", "DRIVER=i915\nPCI_SLOT_NAME=0000:00:02.0\n"),
            ("sys/class/drm/renderD129/device/vendor", "0x8086\n"),
            ("sys/class/drm/renderD129/device/uevent", "DRIVER=xe\nPCI_SLOT_NAME=0000:03:00.0\n"),
            ("sys/class/drm/renderD130/device/vendor", "0x1af4\n"),
            ("dev/dri/renderD128", ""),
            ("dev/dri/renderD129", ""),
            ("dev/dri/renderD130", ""),
        ];
        let (found, _) = fake("intel", &intel);
        assert_eq!((found.gpu, found.maker), (1, GpuMaker::Intel), "not the one in the processor");
        assert_eq!(found.gpu_variables(&[0]), [("ZE_AFFINITY_MASK".to_owned(), "0".to_owned())]);
        let queues = |gpu| crate::queues::configuration(&Machine { gpu, ..found.clone() });
        assert!(!queues(0).contains("gpu") && queues(1).contains("gpu: 1"), "without GPUs none is guaranteed");
    }
}
