//! What an App Store customer owns right now, and why.
//!
//! The crate adds three things to `storekeeper.h`, which remains the documentation: objects free themselves, texts are
//! `&str` and `String`, and a call that can fail returns a `Result`. JSON is given as text, so that the crate needs no other.
//!
//! ```no_run
//! # fn main() -> storekeeper::Result<()> {
//! let root = std::fs::read("AppleRootCA-G3.cer").unwrap();
//! let verifier = storekeeper::Verifier::new(&root, "com.example.game", 0, 0)?;
//! let pool = storekeeper::Pool::open(storekeeper::Options {
//!     vault: Some("players.sqlite"), verifier: Some(&verifier), catalog_path: Some("Store.storekit"),
//!     ..Default::default()
//! })?;
//! let anna = pool.open_customer("anna")?;
//! if anna.has_feature("pro", storekeeper::NOW)? { /* … */ }
//! # Ok(()) }
//! ```
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, RawFd};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};
use storekeeper_sys::*;

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type Instant = i64;
pub const NOW: Instant = SK_NOW;
pub const FOREVER: Instant = SK_FOREVER;
pub use storekeeper_sys::{SK_LOCAL_TESTING, SK_PRODUCTION, SK_SANDBOX, SK_XCODE};

/// The failure of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// One of `SK_MISUSE` and so on.
    pub status: i32,
    /// The word of the Swift library, such as `insufficient`.
    pub code: String,
    pub message: String,
}

pub type Result<Value> = std::result::Result<Value, Error>;

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// The last failure of this thread.
    fn last(status: sk_status) -> Error {
        // The texts are valid until the next failure of this thread.
        let text = |pointer| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned();
        unsafe { Error { status, code: text(sk_error_code()), message: text(sk_error_message()) } }
    }
}

fn check(status: sk_status) -> Result<()> {
    if status == SK_OK { Ok(()) } else { Err(Error::last(status)) }
}

/// Converts a text that C reads up to a zero byte.
fn terminated(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error {
        status: SK_INVALID,
        code: "zeroByte".into(),
        message: "the text has a zero byte inside".into(),
    })
}

fn pointer(text: &str) -> *const c_char {
    text.as_ptr().cast()
}

/// Takes a text of the library, and frees it.
fn take(text: sk_text) -> String {
    if text.bytes.is_null() {
        return String::new();
    }
    // The library's texts are UTF-8, as long as `length` says.
    let bytes = unsafe { std::slice::from_raw_parts(text.bytes.cast::<u8>(), text.length) };
    let copy = String::from_utf8_lossy(bytes).into_owned();
    unsafe { sk_text_free(text.bytes) };
    copy
}

/// The text that a function gives, also if it fails; an error if it gives none.
fn report(call: impl FnOnce(*mut sk_text) -> sk_status) -> Result<(String, Option<Error>)> {
    let mut json = sk_text { bytes: null_mut(), length: 0 };
    match check(call(&mut json)).err() {
        Some(error) if json.bytes.is_null() => Err(error),
        error => Ok((take(json), error)),
    }
}

fn text(call: impl FnOnce(*mut sk_text) -> sk_status) -> Result<String> {
    let mut text = sk_text { bytes: null_mut(), length: 0 };
    let status = call(&mut text);
    if status == SK_OK {
        return Ok(take(text));
    }
    let error = Error::last(status);
    unsafe { sk_text_free(text.bytes) };
    Err(error)
}

/// Declares an owner of a handle. Any thread may use it, because any thread may call any function of the library.
macro_rules! owner {
    ($(#[$comment:meta])* $name:ident, $handle:ident, $free:ident) => {
        $(#[$comment])*
        #[derive(Debug)]
        pub struct $name(*mut $handle);
        unsafe impl Send for $name {}
        unsafe impl Sync for $name {}
        impl Drop for $name {
            fn drop(&mut self) {
                unsafe { $free(self.0) };
            }
        }
    };
}

owner! { /** Verifies evidence. */ Verifier, sk_verifier, sk_verifier_free }
owner! { /** One customer, in memory. */ Customer, sk_customer, sk_customer_free }
owner! { /** The state of a customer at one moment. */ Snapshot, sk_snapshot, sk_snapshot_free }
owner! { /** Brings results, events and reports to a loop. */ Queue, sk_queue, sk_queue_free }
owner! { /** A simulated App Store, for tests. */ Simulator, sk_simulator, sk_simulator_free }

impl Verifier {
    /// `root` is DER or PEM; `environments` is `SK_PRODUCTION` and so on, 0 for `SK_PRODUCTION`; `app_apple_id` is the
    /// App Store's number of the app, and 0 does not compare it.
    pub fn new(root: &[u8], bundle_id: &str, environments: u32, app_apple_id: i64) -> Result<Verifier> {
        let bundle_id = terminated(bundle_id)?;
        let options = sk_verifier_options {
            size: size_of::<sk_verifier_options>(),
            root: root.as_ptr().cast(),
            root_length: root.len(),
            bundle_id: bundle_id.as_ptr(),
            app_apple_id,
            environments,
        };
        let mut verifier = null_mut();
        check(unsafe { sk_verifier_new(&options, &mut verifier) })?;
        Ok(Verifier(verifier))
    }

    /// Returns the signed payload, as JSON.
    pub fn verify(&self, jws: &str) -> Result<String> {
        text(|payload| unsafe { sk_verify(self.0, pointer(jws), jws.len(), payload) })
    }
}

/// The questions of each tick, for customers and snapshots.
macro_rules! questions {
    ($name:ident, $has_feature:ident, $is_entitled:ident, $balance:ident, $next_change:ident) => {
        impl $name {
            pub fn has_feature(&self, feature: &str, at: Instant) -> Result<bool> {
                let mut answer = false;
                check(unsafe { $has_feature(self.0, pointer(feature), feature.len(), at, &mut answer) })?;
                Ok(answer)
            }

            pub fn is_entitled(&self, product: &str, at: Instant) -> Result<bool> {
                let mut answer = false;
                check(unsafe { $is_entitled(self.0, pointer(product), product.len(), at, &mut answer) })?;
                Ok(answer)
            }

            pub fn balance(&self, name: &str) -> Result<i64> {
                let mut units = 0;
                check(unsafe { $balance(self.0, pointer(name), name.len(), &mut units) })?;
                Ok(units)
            }

            pub fn next_change(&self, at: Instant) -> Result<Instant> {
                let mut change = 0;
                check(unsafe { $next_change(self.0, at, &mut change) })?;
                Ok(change)
            }
        }
    };
}

questions!(Customer, sk_has_feature, sk_is_entitled, sk_balance, sk_next_change);
questions!(
    Snapshot, sk_snapshot_has_feature, sk_snapshot_is_entitled, sk_snapshot_balance, sk_snapshot_next_change);

impl Snapshot {
    /// All answers, as JSON.
    pub fn entitlements(&self, at: Instant) -> Result<String> {
        text(|json| unsafe { sk_snapshot_entitlements(self.0, at, json) })
    }

    /// A picture of what the customer had over time, as SVG.
    pub fn timeline(&self, at: Instant) -> Result<String> {
        text(|svg| unsafe { sk_snapshot_timeline(self.0, at, svg) })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    Unknown,
    Never,
    Lapsed,
    Pending,
    Entitled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub kind: AnswerKind,
    pub reason: &'static str,
    pub until: Instant,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub balance: i64,
    pub is_replayed: bool,
    pub id: String,
}

/// What became of evidence. `error` is set if an item was not verified, although the others were stored.
#[derive(Clone, Debug)]
pub struct Ingested {
    pub json: String,
    pub error: Option<Error>,
}

/// What an audit found. `error` is set if `json` lists faults.
#[derive(Clone, Debug)]
pub struct Audited {
    pub json: String,
    pub error: Option<Error>,
}

impl Customer {
    pub fn feature(&self, id: &str, at: Instant) -> Result<Answer> {
        self.answer(|answer| unsafe { sk_feature_answer(self.0, pointer(id), id.len(), at, answer) })
    }

    pub fn product(&self, id: &str, at: Instant) -> Result<Answer> {
        self.answer(|answer| unsafe { sk_product_answer(self.0, pointer(id), id.len(), at, answer) })
    }

    fn answer(&self, call: impl FnOnce(*mut sk_answer) -> sk_status) -> Result<Answer> {
        let mut answer = sk_answer { size: size_of::<sk_answer>(), kind: 0, reason: null(), until: 0 };
        check(call(&mut answer))?;
        let kind = match answer.kind {
            1 => AnswerKind::Never,
            2 => AnswerKind::Lapsed,
            3 => AnswerKind::Pending,
            4 => AnswerKind::Entitled,
            _ => AnswerKind::Unknown,
        };
        // The library's reasons are static.
        let reason = if answer.reason.is_null() { "" } else {
            unsafe { CStr::from_ptr::<'static>(answer.reason) }.to_str().unwrap_or("")
        };
        Ok(Answer { kind, reason, until: answer.until })
    }

    pub fn snapshot(&self) -> Result<Snapshot> {
        let mut snapshot = null_mut();
        check(unsafe { sk_customer_snapshot(self.0, &mut snapshot) })?;
        Ok(Snapshot(snapshot))
    }

    pub fn ingest(&self, evidence: &[u8], is_complete: bool) -> Result<Ingested> {
        let (json, error) = report(|json| unsafe {
            sk_customer_ingest(self.0, evidence.as_ptr().cast(), evidence.len(), is_complete, json)
        })?;
        Ok(Ingested { json, error })
    }

    pub fn sync(&self) -> Result<String> {
        text(|json| unsafe { sk_customer_sync(self.0, json) })
    }

    pub fn spend(&self, units: i64, balance: &str, key: &str) -> Result<Receipt> {
        self.receipt(|receipt| unsafe {
            sk_customer_spend(self.0, pointer(balance), balance.len(), units, pointer(key), key.len(), receipt)
        })
    }

    pub fn grant(&self, units: i64, balance: &str, reason: &str, key: &str) -> Result<Receipt> {
        let reason = terminated(reason)?;
        self.receipt(|receipt| unsafe {
            sk_customer_grant(
                self.0, pointer(balance), balance.len(), units, reason.as_ptr(), pointer(key), key.len(), receipt)
        })
    }

    fn receipt(&self, call: impl FnOnce(*mut sk_receipt) -> sk_status) -> Result<Receipt> {
        let mut receipt =
            sk_receipt { size: size_of::<sk_receipt>(), balance: 0, is_replayed: false, id: [0; 32] };
        check(call(&mut receipt))?;
        let id = unsafe { CStr::from_ptr(receipt.id.as_ptr()) }.to_string_lossy().into_owned();
        Ok(Receipt { balance: receipt.balance, is_replayed: receipt.is_replayed, id })
    }

    pub fn grant_feature(&self, feature: &str, until: Instant, reason: &str, key: &str) -> Result<()> {
        let reason = terminated(reason)?;
        check(unsafe {
            sk_customer_grant_feature(
                self.0, pointer(feature), feature.len(), until, reason.as_ptr(), pointer(key), key.len())
        })
    }

    pub fn revoke_grant(&self, reason: &str, key: &str) -> Result<()> {
        let reason = terminated(reason)?;
        check(unsafe { sk_customer_revoke_grant(self.0, reason.as_ptr(), pointer(key), key.len()) })
    }

    pub fn explain_feature(&self, id: &str, at: Instant) -> Result<String> {
        text(|json| unsafe { sk_customer_explain_feature(self.0, pointer(id), id.len(), at, json) })
    }

    pub fn explain_product(&self, id: &str, at: Instant) -> Result<String> {
        text(|json| unsafe { sk_customer_explain_product(self.0, pointer(id), id.len(), at, json) })
    }

    pub fn begin_ingest(&self, evidence: &[u8], is_complete: bool, queue: &Queue, tag: u64) -> Result<()> {
        check(unsafe {
            sk_begin_ingest(self.0, evidence.as_ptr().cast(), evidence.len(), is_complete, queue.0, tag)
        })
    }

    pub fn begin_sync(&self, queue: &Queue, tag: u64) -> Result<()> {
        check(unsafe { sk_begin_sync(self.0, queue.0, tag) })
    }

    pub fn begin_spend(&self, units: i64, balance: &str, key: &str, queue: &Queue, tag: u64) -> Result<()> {
        check(unsafe {
            sk_begin_spend(
                self.0, pointer(balance), balance.len(), units, pointer(key), key.len(), queue.0, tag)
        })
    }

    pub fn begin_grant(
        &self, units: i64, balance: &str, reason: &str, key: &str, queue: &Queue, tag: u64,
    ) -> Result<()> {
        let reason = terminated(reason)?;
        check(unsafe {
            sk_begin_grant(
                self.0, pointer(balance), balance.len(), units, reason.as_ptr(), pointer(key), key.len(), queue.0,
                tag)
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    Result,
    Event,
    Report,
}

/// What a queue brings.
#[derive(Debug)]
pub struct Item {
    pub kind: ItemKind,
    /// `SK_OK`, or the status of the failure that `json` describes.
    pub status: i32,
    pub tag: u64,
    pub place: i64,
    pub customer: Option<Customer>,
    pub json: String,
}

impl Queue {
    pub fn new() -> Result<Queue> {
        let mut queue = null_mut();
        check(unsafe { sk_queue_new(&mut queue) })?;
        Ok(Queue(queue))
    }

    /// Takes the next item; `None` if there is none now.
    pub fn next(&self) -> Result<Option<Item>> {
        let mut item = sk_item {
            size: size_of::<sk_item>(), kind: 0, status: 0, tag: 0, place: 0, customer: null_mut(),
            json: sk_text { bytes: null_mut(), length: 0 },
        };
        match unsafe { sk_queue_next(self.0, &mut item) } {
            SK_OK => {}
            SK_EMPTY => return Ok(None),
            status => return Err(Error::last(status)),
        }
        Ok(Some(Item {
            kind: match item.kind {
                SK_RESULT => ItemKind::Result,
                SK_EVENT => ItemKind::Event,
                _ => ItemKind::Report,
            },
            status: item.status,
            tag: item.tag,
            place: item.place,
            customer: (!item.customer.is_null()).then_some(Customer(item.customer)),
            json: take(item.json),
        }))
    }
}

impl AsRawFd for Queue {
    fn as_raw_fd(&self) -> RawFd {
        let mut descriptor: c_int = -1;
        let _ = unsafe { sk_queue_fd(self.0, &mut descriptor) };
        descriptor
    }
}

impl Simulator {
    pub fn new(bundle_id: &str, catalog_path: &str, start: Instant, seed: u64) -> Result<Simulator> {
        let (bundle_id, catalog_path) = (terminated(bundle_id)?, terminated(catalog_path)?);
        let options = sk_simulator_options {
            size: size_of::<sk_simulator_options>(),
            bundle_id: bundle_id.as_ptr(),
            catalog_path: catalog_path.as_ptr(),
            catalog: null(),
            catalog_length: 0,
            start,
            seed,
        };
        let mut simulator = null_mut();
        check(unsafe { sk_simulator_new(&options, &mut simulator) })?;
        Ok(Simulator(simulator))
    }

    pub fn now(&self) -> Result<Instant> {
        let mut now = 0;
        check(unsafe { sk_simulator_now(self.0, &mut now) })?;
        Ok(now)
    }

    pub fn advance(&self, to: Instant) -> Result<()> {
        check(unsafe { sk_simulator_advance(self.0, to) })
    }

    pub fn add_account(&self, id: &str) -> Result<()> {
        check(unsafe { sk_simulator_add_account(self.0, pointer(id), id.len()) })
    }

    /// Returns the id of the transaction.
    pub fn buy(&self, id: &str, product: &str) -> Result<String> {
        text(|transaction| unsafe {
            sk_simulator_buy(self.0, pointer(id), id.len(), pointer(product), product.len(), transaction)
        })
    }

    pub fn refund(&self, transaction: &str) -> Result<()> {
        check(unsafe { sk_simulator_refund(self.0, pointer(transaction), transaction.len()) })
    }

    pub fn set_auto_renew(&self, transaction: &str, is_on: bool) -> Result<()> {
        check(unsafe { sk_simulator_set_auto_renew(self.0, pointer(transaction), transaction.len(), is_on) })
    }

    pub fn root(&self) -> Result<String> {
        text(|pem| unsafe { sk_simulator_root(self.0, pem) })
    }

    pub fn evidence(&self, id: &str) -> Result<String> {
        text(|evidence| unsafe { sk_simulator_evidence(self.0, pointer(id), id.len(), evidence) })
    }

    pub fn notifications(&self, skip: usize) -> Result<String> {
        text(|notifications| unsafe { sk_simulator_notifications(self.0, skip, notifications) })
    }
}

/// A source of evidence of your own, called in threads of the library, one call at a time.
pub trait Backend: Send + Sync {
    /// The name under which the vault keeps the place in the source; always the same.
    fn name(&self) -> &str;
    /// Returns `{"items":[JWS, …],"next":CURSOR}`, or a message; the pool then asks again later.
    fn history(&self, customer: &str, cursor: &str) -> std::result::Result<String, String>;
    /// Returns `[{"transaction":JWS,"renewalInfo":JWS}, …]`, or a message.
    fn statuses(&self, _customer: &str) -> std::result::Result<String, String> {
        Ok("[]".into())
    }
}

type Shared = Box<dyn Backend>;

/// Sends what a function returns; a panic becomes a failure, because it must not leave Rust.
unsafe fn reply(reply: *mut sk_reply, work: impl FnOnce() -> std::result::Result<String, String>) {
    let (status, text) = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(text)) => (SK_OK, text),
        Ok(Err(message)) => (SK_IO, message),
        Err(_) => (SK_IO, "the backend has panicked".into()),
    };
    // A reply that is too late is of no interest.
    let _ = sk_reply_send(reply, status, pointer(&text), text.len());
}

unsafe extern "C" fn history(context: *mut c_void, to: *mut sk_reply, customer: *const c_char, cursor: *const c_char) {
    let backend = &*context.cast::<Shared>();
    let (customer, cursor) = (CStr::from_ptr(customer).to_string_lossy(), CStr::from_ptr(cursor).to_string_lossy());
    reply(to, || backend.history(&customer, &cursor));
}

unsafe extern "C" fn statuses(context: *mut c_void, to: *mut sk_reply, customer: *const c_char) {
    let backend = &*context.cast::<Shared>();
    let customer = CStr::from_ptr(customer).to_string_lossy();
    reply(to, || backend.statuses(&customer));
}

unsafe extern "C" fn release(context: *mut c_void) {
    drop(Box::from_raw(context.cast::<Shared>()));
}

/// Apple's App Store Server API, with a key of App Store Connect.
#[derive(Clone, Copy, Debug)]
pub struct AppStore<'a> {
    pub key_id: &'a str,
    pub issuer_id: &'a str,
    pub key: &'a str,
    pub environments: u32,
}

/// The options of a pool.
#[derive(Default)]
pub struct Options<'a> {
    /// A path or `postgres://…`; `None` keeps all in memory, for tests.
    pub vault: Option<&'a str>,
    pub verifier: Option<&'a Verifier>,
    pub catalog_path: Option<&'a str>,
    /// The text of a catalog, instead of a path.
    pub catalog: Option<&'a str>,
    pub app_store: Option<AppStore<'a>>,
    pub backend: Option<Box<dyn Backend>>,
    pub simulator: Option<&'a Simulator>,
    pub capacity: usize,
    /// In milliseconds; 0 is never.
    pub refresh_interval: i64,
}

/// All customers, over one vault. It closes when it is dropped; `close` also returns the result. A pool that is dropped
/// in a function of its own backend stays open.
#[derive(Debug)]
pub struct Pool(*mut sk_pool, PhantomData<Shared>);

unsafe impl Send for Pool {}
unsafe impl Sync for Pool {}

impl Drop for Pool {
    fn drop(&mut self) {
        let _ = unsafe { sk_pool_close(self.0) };
    }
}

impl Pool {
    pub fn open(options: Options) -> Result<Pool> {
        let optional = |text: Option<&str>| text.map(terminated).transpose();
        let (vault, catalog_path) = (optional(options.vault)?, optional(options.catalog_path)?);
        let raw = |text: &Option<CString>| text.as_ref().map_or(null(), |text| text.as_ptr());
        let server_texts = match options.app_store {
            Some(server) => Some([terminated(server.key_id)?, terminated(server.issuer_id)?, terminated(server.key)?]),
            None => None,
        };
        let server = server_texts.as_ref().map(|texts| sk_app_store {
            size: size_of::<sk_app_store>(),
            key_id: texts[0].as_ptr(),
            issuer_id: texts[1].as_ptr(),
            key: texts[2].as_ptr(),
            environments: options.app_store.map_or(0, |server| server.environments),
        });
        let name = options.backend.as_ref().map(|backend| terminated(backend.name())).transpose()?;
        // The library owns the box from here on, and frees it with `release`.
        let context: *mut c_void = options.backend.map_or(null_mut(), |backend| Box::into_raw(Box::new(backend)).cast());
        let functions = sk_backend {
            size: size_of::<sk_backend>(),
            name: raw(&name),
            context,
            history: Some(history),
            statuses: Some(statuses),
            release: Some(release),
        };
        let plain = sk_pool_options {
            size: size_of::<sk_pool_options>(),
            vault: raw(&vault),
            verifier: options.verifier.map_or(null_mut(), |verifier| verifier.0),
            catalog_path: raw(&catalog_path),
            catalog: options.catalog.map_or(null(), pointer),
            catalog_length: options.catalog.map_or(0, str::len),
            app_store: server.as_ref().map_or(null(), |server| server),
            backend: if context.is_null() { null() } else { &functions },
            simulator: options.simulator.map_or(null_mut(), |simulator| simulator.0),
            capacity: options.capacity,
            refresh_interval: options.refresh_interval,
        };
        let mut pool = null_mut();
        let status = unsafe { sk_pool_open(&plain, &mut pool) };
        if status != SK_OK {
            let error = Error::last(status);
            if !context.is_null() {
                unsafe { release(context) };
            }
            return Err(error);
        }
        Ok(Pool(pool, PhantomData))
    }

    /// Closes the pool; later calls fail. A function of its own backend cannot close it.
    pub fn close(&self) -> Result<()> {
        check(unsafe { sk_pool_close(self.0) })
    }

    pub fn open_customer(&self, id: &str) -> Result<Customer> {
        let mut customer = null_mut();
        check(unsafe { sk_customer_open(self.0, pointer(id), id.len(), &mut customer) })?;
        Ok(Customer(customer))
    }

    pub fn begin_open(&self, id: &str, queue: &Queue, tag: u64) -> Result<()> {
        check(unsafe { sk_begin_open(self.0, pointer(id), id.len(), queue.0, tag) })
    }

    pub fn load_catalog(&self, name: &str, text: &str) -> Result<()> {
        let name = terminated(name)?;
        check(unsafe { sk_pool_load_catalog(self.0, name.as_ptr(), pointer(text), text.len()) })
    }

    /// Stores a notification, and returns the HTTP status with which to answer the request.
    pub fn receive(&self, body: &[u8]) -> Result<i32> {
        let mut http_status = 0;
        let status = unsafe { sk_pool_receive(self.0, body.as_ptr().cast(), body.len(), &mut http_status) };
        if http_status == 0 { Err(Error::last(status)) } else { Ok(http_status) }
    }

    pub fn begin_receive(&self, body: &[u8], queue: &Queue, tag: u64) -> Result<()> {
        check(unsafe { sk_begin_receive(self.0, body.as_ptr().cast(), body.len(), queue.0, tag) })
    }

    pub fn audit(&self) -> Result<Audited> {
        let (json, error) = report(|json| unsafe { sk_pool_audit(self.0, json) })?;
        Ok(Audited { json, error })
    }

    pub fn subscribe(&self, queue: &Queue, tag: u64, after: i64) -> Result<()> {
        check(unsafe { sk_pool_subscribe(self.0, queue.0, tag, after) })
    }

    pub fn report_to(&self, queue: Option<&Queue>, tag: u64) -> Result<()> {
        check(unsafe { sk_pool_report(self.0, queue.map_or(null_mut(), |queue| queue.0), tag) })
    }
}
