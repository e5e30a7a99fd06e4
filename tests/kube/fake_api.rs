//! A stand-in for an API server; tests with `stage.py` use a real one.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cluster::kube::{Cluster, Known, Wanted};

/// One answer.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// The connection stays open after the body until the stand-in stops.
    pub stays: bool,
}

impl Reply {
    pub fn json(body: &serde_json::Value) -> Self {
        Self { status: 200, headers: Vec::new(), body: body.to_string().into_bytes(), stays: false }
    }

    /// The error answer of an API server.
    pub fn refusal(status: u16, message: &str) -> Self {
        let body = serde_json::json!({"kind": "Status", "code": status, "message": message});
        Self { status, ..Self::json(&body) }
    }

    /// What a server answers that has no such endpoint.
    pub fn no_endpoint() -> Self {
        let headers = vec![("content-type", "text/plain".to_owned())];
        Self { status: 404, headers, ..Self::text("404 page not found\n", false) }
    }

    /// A text; one that stays is not over.
    pub fn text(body: &str, stays: bool) -> Self {
        Self { status: 200, headers: Vec::new(), body: body.as_bytes().to_vec(), stays }
    }

    /// A watch with these lines.
    pub fn lines(lines: &[serde_json::Value], stays: bool) -> Self {
        let body = lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
        Self { status: 200, headers: Vec::new(), body, stays }
    }
}

/// A request: method, address with query, and body.
pub struct Call {
    pub method: String,
    pub path: String,
    pub body: String,
}

type Answer = dyn Fn(&Call) -> Reply + Send + Sync;

/// Answers until it is dropped.
pub struct FakeApi {
    port: u16,
    ends: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
    asked: Arc<AtomicUsize>,
    dir: PathBuf,
}

impl FakeApi {
    pub fn new(answer: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("kornsole-stand-in-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (ends, open, asked) = (Arc::new(AtomicBool::new(false)), Arc::default(), Arc::default());
        let fake_api = Self { port, ends, open, asked, dir };
        let answer: Arc<Answer> = Arc::new(answer);
        let (ends, open, asked) = (Arc::clone(&fake_api.ends), Arc::clone(&fake_api.open), Arc::clone(&fake_api.asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::Relaxed) {
                    return;
                }
                open.lock().unwrap().push(stream.try_clone().unwrap());
                let (answer, asked) = (Arc::clone(&answer), Arc::clone(&asked));
                std::thread::spawn(move || serve(stream, &*answer, &asked));
            }
        });
        fake_api
    }

    /// Where it answers.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// How many requests came.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// Closes all open connections; new ones are accepted.
    pub fn cut(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }

    /// The kubeconfig for this server.
    pub fn kubeconfig(&self) -> PathBuf {
        let file = self.dir.join("kubeconfig");
        let text = serde_json::json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": format!("http://127.0.0.1:{}", self.port)}}],
            "users": [{"name": "u", "user": {"token": "secret-of-the-test"}}],
        });
        std::fs::write(&file, text.to_string()).unwrap();
        file
    }

    pub fn cluster(&self) -> Arc<Cluster> {
        let known = Known::of(&[self.kubeconfig()]).unwrap();
        let context = known.context(None).unwrap();
        Arc::new(Cluster::new(known, context, Wanted::default()))
    }
}

impl Drop for FakeApi {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        self.cut();
        // The listener checks its stop flag when a connection arrives.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn serve(stream: TcpStream, answer: &Answer, asked: &AtomicUsize) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        if std::io::Read::read_exact(&mut reader, &mut body).is_err() {
            return;
        }
        let mut words = first.split(' ').map(str::to_owned);
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let body = String::from_utf8(body).unwrap();
        asked.fetch_add(1, Ordering::Relaxed);
        let Reply { status, headers, body, stays } = answer(&Call { method, path, body });
        let mut head = format!("HTTP/1.1 {status} X\r\n");
        if headers.iter().all(|(name, _)| *name != "content-type") {
            head += "content-type: application/json\r\n";
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        let whole = if stays {
            let mut chunk = format!("{head}transfer-encoding: chunked\r\n\r\n").into_bytes();
            if !body.is_empty() {
                chunk.extend(format!("{:x}\r\n", body.len()).into_bytes());
                chunk.extend(body);
                chunk.extend(b"\r\n");
            }
            chunk
        } else {
            let mut whole = format!("{head}content-length: {}\r\n\r\n", body.len()).into_bytes();
            whole.extend(body);
            whole
        };
        if writer.write_all(&whole).is_err() {
            return;
        }
        if stays {
            let _ = reader.read_line(&mut String::new());
            return;
        }
    }
}
