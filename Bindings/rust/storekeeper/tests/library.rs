//! Tests of the crate. STOREKEEPER_CONFIGURATION is the folder with the examples.
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use storekeeper::*;

const JUNE: Instant = 1_780_315_200_000;

fn folder(name: &str) -> String {
    format!("{}/{name}", std::env::var("STOREKEEPER_CONFIGURATION").expect("STOREKEEPER_CONFIGURATION is not set"))
}

fn pool() -> Pool {
    pool_with(None)
}

fn pool_with(vault: Option<&str>) -> Pool {
    let root = std::fs::read(folder("evidence/root.pem")).unwrap();
    let verifier = Verifier::new(&root, "com.example.lanternvale", 0, 0).unwrap();
    let catalog = folder("Products.json");
    let options = Options { verifier: Some(&verifier), catalog_path: Some(&catalog), vault, ..Default::default() };
    Pool::open(options).unwrap()
}

fn evidence(name: &str) -> Vec<u8> {
    std::fs::read(folder(&format!("evidence/{name}.jsonl"))).unwrap()
}

/// Waits for the next item, at most ten seconds.
fn wait(queue: &Queue) -> Item {
    for _ in 0..1000 {
        if let Some(item) = queue.next().unwrap() {
            return item;
        }
        thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("no item came");
}

#[test]
fn questions_of_many_threads() {
    let pool = pool();
    let anna = Arc::new(pool.open_customer("anna").unwrap());
    assert!(anna.ingest(&evidence("season-pass-and-remove-ads"), true).unwrap().error.is_none());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let anna = anna.clone();
            thread::spawn(move || {
                for _ in 0..1000 {
                    assert!(anna.has_feature("season-arena", JUNE).unwrap());
                    assert_eq!(anna.balance("gems").unwrap(), 60);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(anna.next_change(JUNE).unwrap() > JUNE);
    let answer = anna.product("bronze.monthly", JUNE).unwrap();
    assert_eq!((answer.kind, answer.reason), (AnswerKind::Lapsed, "expired"));
    let error = anna.has_feature("seson-arena", JUNE).unwrap_err();
    assert_eq!(error.code, "unknownFeature");
    assert!(error.message.contains("season-arena"));
    let snapshot = anna.snapshot().unwrap();
    pool.close().unwrap();
    assert_eq!(anna.has_feature("pro", JUNE).unwrap_err().code, "closed");
    assert!(snapshot.is_entitled("remove.ads", JUNE).unwrap());
    assert!(snapshot.entitlements(JUNE).unwrap().contains("\"remove.ads\""));
}

#[test]
fn a_spend_counts_once() {
    let pool = pool();
    let queue = Queue::new().unwrap();
    pool.subscribe(&queue, 5, 0).unwrap();
    pool.begin_open("anna", &queue, 1).unwrap();
    let anna = wait(&queue).customer.unwrap();
    anna.ingest(&evidence("coins-one-refunded"), true).unwrap();
    let first = anna.spend(30, "coins", "lantern-42").unwrap();
    let again = anna.spend(30, "coins", "lantern-42").unwrap();
    assert_eq!((first.balance, again.balance, again.is_replayed, &first.id), (670, 670, true, &again.id));
    anna.begin_spend(9000, "coins", "lantern-43", &queue, 2).unwrap();
    let refused = wait(&queue);
    assert_eq!((refused.kind, refused.tag), (ItemKind::Result, 2));
    assert!(refused.json.contains("insufficient"));
    anna.grant_feature("pro", JUNE * 2, "a lost day", "ticket-1").unwrap();
    assert_eq!(wait(&queue).kind, ItemKind::Event);
    assert_eq!(pool.receive(b"{\"signedPayload\":\"a.b.c\"}").unwrap(), 400);
    let audit = pool.audit().unwrap();
    assert!(audit.error.is_none() && audit.json.contains("\"faults\":[]"));
    assert_eq!(anna.grant(1, "coins", "a\0b", "k").unwrap_err().code, "zeroByte");
}

#[test]
fn an_audit_gives_the_faults() {
    let path = std::env::temp_dir().join(format!("storekeeper-rust-{}.sqlite", std::process::id()));
    let vault = path.to_str().unwrap();
    let pool = pool_with(Some(vault));
    pool.open_customer("anna").unwrap().grant(1, "coins", "a gift of the vale", "k").unwrap();
    pool.close().unwrap();
    let mut bytes = std::fs::read(vault).unwrap();
    let reason = b"a gift of the vale";
    let places: Vec<_> = (0..bytes.len() - reason.len()).filter(|&at| bytes[at..].starts_with(reason)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at] = b'A');
    std::fs::write(vault, bytes).unwrap();
    let audit = pool_with(Some(vault)).audit().unwrap();
    assert_eq!(audit.error.unwrap().code, "faults");
    assert!(audit.json.contains("\"faults\":[{"));
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{vault}{suffix}"));
    }
}

#[test]
fn a_verifier_of_one_app() {
    let root = std::fs::read(folder("evidence/root.pem")).unwrap();
    let lines = evidence("season-pass-and-remove-ads");
    let refusals = |number| -> Vec<String> {
        let verifier = Verifier::new(&root, "com.example.lanternvale", 0, number).unwrap();
        let signed = std::str::from_utf8(&lines).unwrap().split(['"', '\n']).filter(|part| part.starts_with("eyJ"));
        signed.filter_map(|jws| verifier.verify(jws).err()).map(|error| error.code).collect()
    };
    // One item is about the app, and names its number.
    assert_eq!(refusals(0), Vec::<String>::new());
    assert_eq!(refusals(6_400_000_001), Vec::<String>::new());
    assert_eq!(refusals(1), ["appMismatch"]);
}

/// The pool that a backend closes once.
type Closing = Arc<Mutex<Weak<Pool>>>;

struct Archive(Simulator, Closing);

impl Backend for Archive {
    fn name(&self) -> &str {
        "archive"
    }

    fn history(&self, customer: &str, _cursor: &str) -> std::result::Result<String, String> {
        if customer == "panic" {
            panic!("as a test");
        }
        if let Some(pool) = std::mem::take(&mut *self.1.lock().unwrap()).upgrade() {
            assert_eq!(pool.close().unwrap_err().code, "ownBackend");
        }
        let evidence = self.0.evidence(customer).map_err(|error| error.to_string())?;
        let items: Vec<String> = evidence.lines().map(|line| format!("\"{line}\"")).collect();
        Ok(format!("{{\"items\":[{}]}}", items.join(",")))
    }
}

#[test]
fn a_backend_of_ones_own() {
    let simulator = Simulator::new("com.example.lanternvale", &folder("Store.storekit"), 0, 7).unwrap();
    simulator.add_account("anna").unwrap();
    simulator.buy("anna", "gold.monthly").unwrap();
    let now = simulator.now().unwrap();
    let root = simulator.root().unwrap();
    let verifier = Verifier::new(root.as_bytes(), "com.example.lanternvale", SK_SANDBOX, 0).unwrap();
    let catalog = folder("Products.json");
    let closing = Closing::default();
    let pool = Pool::open(Options {
        verifier: Some(&verifier),
        catalog_path: Some(&catalog),
        backend: Some(Box::new(Archive(simulator, closing.clone()))),
        ..Default::default()
    })
    .unwrap();
    let anna = pool.open_customer("anna").unwrap();
    assert!(anna.sync().unwrap().contains("\"failures\":[]"));
    assert!(anna.has_feature("pro", now + 86_400_000).unwrap());
    let error = pool.open_customer("panic").unwrap().sync().unwrap_err();
    assert!(error.message.contains("panicked"));
    // A function of the backend cannot close the pool, which stays open until it is closed elsewhere.
    let pool = Arc::new(pool);
    *closing.lock().unwrap() = Arc::downgrade(&pool);
    anna.sync().unwrap();
    assert!(closing.lock().unwrap().upgrade().is_none());
    anna.sync().unwrap();
    pool.close().unwrap();
    assert_eq!(anna.sync().unwrap_err().code, "closed");
    assert_eq!(Arc::strong_count(&closing), 1);
}
