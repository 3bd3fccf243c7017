//! The functions of `storekeeper.h`, which is their documentation. The crate `storekeeper` is safe.
#![no_std]
#![allow(non_camel_case_types)]

use core::ffi::{c_char, c_int, c_uint, c_void};

pub type sk_status = c_int;
pub type sk_instant = i64;

pub const SK_NOW: sk_instant = i64::MIN;
pub const SK_FOREVER: sk_instant = i64::MAX;

pub const SK_OK: sk_status = 0;
pub const SK_MISUSE: sk_status = 1;
pub const SK_INVALID: sk_status = 2;
pub const SK_UNKNOWN: sk_status = 3;
pub const SK_REFUSED: sk_status = 4;
pub const SK_UNVERIFIED: sk_status = 5;
pub const SK_EMPTY: sk_status = 6;
pub const SK_BUSY: sk_status = 7;
pub const SK_IO: sk_status = 8;
pub const SK_DOUBT: sk_status = 9;
pub const SK_CORRUPT: sk_status = 10;
pub const SK_CLOSED: sk_status = 11;
pub const SK_TIMEOUT: sk_status = 12;
pub const SK_CANCELLED: sk_status = 13;
pub const SK_FORKED: sk_status = 14;
pub const SK_INTERNAL: sk_status = 15;

pub const SK_PRODUCTION: c_uint = 1;
pub const SK_SANDBOX: c_uint = 2;
pub const SK_XCODE: c_uint = 4;
pub const SK_LOCAL_TESTING: c_uint = 8;

pub const SK_RESULT: c_int = 1;
pub const SK_EVENT: c_int = 2;
pub const SK_REPORT: c_int = 3;

macro_rules! opaque {
    ($($name:ident)*) => { $(#[repr(C)] pub struct $name { _private: [u8; 0] })* };
}
opaque! { sk_verifier sk_pool sk_customer sk_snapshot sk_queue sk_simulator sk_reply }

#[repr(C)]
#[derive(Clone, Copy)]
pub struct sk_text {
    pub bytes: *mut c_char,
    pub length: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct sk_verifier_options {
    pub size: usize,
    pub root: *const c_char,
    pub root_length: usize,
    pub bundle_id: *const c_char,
    pub app_apple_id: i64,
    pub environments: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct sk_app_store {
    pub size: usize,
    pub key_id: *const c_char,
    pub issuer_id: *const c_char,
    pub key: *const c_char,
    pub environments: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct sk_backend {
    pub size: usize,
    pub name: *const c_char,
    pub context: *mut c_void,
    pub history: Option<unsafe extern "C" fn(*mut c_void, *mut sk_reply, *const c_char, *const c_char)>,
    pub statuses: Option<unsafe extern "C" fn(*mut c_void, *mut sk_reply, *const c_char)>,
    pub release: Option<unsafe extern "C" fn(*mut c_void)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct sk_pool_options {
    pub size: usize,
    pub vault: *const c_char,
    pub verifier: *mut sk_verifier,
    pub catalog_path: *const c_char,
    pub catalog: *const c_char,
    pub catalog_length: usize,
    pub app_store: *const sk_app_store,
    pub backend: *const sk_backend,
    pub simulator: *mut sk_simulator,
    pub capacity: usize,
    pub refresh_interval: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct sk_answer {
    pub size: usize,
    pub kind: c_int,
    pub reason: *const c_char,
    pub until: sk_instant,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct sk_receipt {
    pub size: usize,
    pub balance: i64,
    pub is_replayed: bool,
    pub id: [c_char; 32],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct sk_item {
    pub size: usize,
    pub kind: c_int,
    pub status: sk_status,
    pub tag: u64,
    pub place: i64,
    pub customer: *mut sk_customer,
    pub json: sk_text,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct sk_simulator_options {
    pub size: usize,
    pub bundle_id: *const c_char,
    pub catalog_path: *const c_char,
    pub catalog: *const c_char,
    pub catalog_length: usize,
    pub start: sk_instant,
    pub seed: u64,
}

extern "C" {
    pub fn sk_status_name(status: sk_status) -> *const c_char;
    pub fn sk_error_code() -> *const c_char;
    pub fn sk_error_message() -> *const c_char;
    pub fn sk_version() -> *const c_char;
    pub fn sk_version_number() -> c_int;
    pub fn sk_text_free(bytes: *mut c_char);

    pub fn sk_verifier_new(options: *const sk_verifier_options, verifier: *mut *mut sk_verifier) -> sk_status;
    pub fn sk_verifier_free(verifier: *mut sk_verifier);
    pub fn sk_verify(verifier: *mut sk_verifier, jws: *const c_char, length: usize, payload: *mut sk_text) -> sk_status;

    pub fn sk_pool_open(options: *const sk_pool_options, pool: *mut *mut sk_pool) -> sk_status;
    pub fn sk_pool_close(pool: *mut sk_pool) -> sk_status;
    pub fn sk_pool_load_catalog(
        pool: *mut sk_pool, name: *const c_char, text: *const c_char, length: usize,
    ) -> sk_status;
    pub fn sk_pool_receive(
        pool: *mut sk_pool, body: *const c_char, length: usize, http_status: *mut c_int,
    ) -> sk_status;
    pub fn sk_pool_audit(pool: *mut sk_pool, json: *mut sk_text) -> sk_status;
    pub fn sk_pool_subscribe(pool: *mut sk_pool, queue: *mut sk_queue, tag: u64, after: i64) -> sk_status;
    pub fn sk_pool_report(pool: *mut sk_pool, queue: *mut sk_queue, tag: u64) -> sk_status;

    pub fn sk_customer_open(
        pool: *mut sk_pool, id: *const c_char, length: usize, customer: *mut *mut sk_customer,
    ) -> sk_status;
    pub fn sk_customer_free(customer: *mut sk_customer);
    pub fn sk_has_feature(
        customer: *mut sk_customer, feature: *const c_char, length: usize, at: sk_instant, answer: *mut bool,
    ) -> sk_status;
    pub fn sk_is_entitled(
        customer: *mut sk_customer, product: *const c_char, length: usize, at: sk_instant, answer: *mut bool,
    ) -> sk_status;
    pub fn sk_balance(
        customer: *mut sk_customer, balance: *const c_char, length: usize, units: *mut i64,
    ) -> sk_status;
    pub fn sk_next_change(customer: *mut sk_customer, at: sk_instant, change: *mut sk_instant) -> sk_status;
    pub fn sk_feature_answer(
        customer: *mut sk_customer, feature: *const c_char, length: usize, at: sk_instant, answer: *mut sk_answer,
    ) -> sk_status;
    pub fn sk_product_answer(
        customer: *mut sk_customer, product: *const c_char, length: usize, at: sk_instant, answer: *mut sk_answer,
    ) -> sk_status;
    pub fn sk_customer_snapshot(customer: *mut sk_customer, snapshot: *mut *mut sk_snapshot) -> sk_status;
    pub fn sk_customer_ingest(
        customer: *mut sk_customer, evidence: *const c_char, length: usize, is_complete: bool, json: *mut sk_text,
    ) -> sk_status;
    pub fn sk_customer_sync(customer: *mut sk_customer, json: *mut sk_text) -> sk_status;
    pub fn sk_customer_spend(
        customer: *mut sk_customer, balance: *const c_char, length: usize, units: i64, key: *const c_char,
        key_length: usize, receipt: *mut sk_receipt,
    ) -> sk_status;
    pub fn sk_customer_grant(
        customer: *mut sk_customer, balance: *const c_char, length: usize, units: i64, reason: *const c_char,
        key: *const c_char, key_length: usize, receipt: *mut sk_receipt,
    ) -> sk_status;
    pub fn sk_customer_grant_feature(
        customer: *mut sk_customer, feature: *const c_char, length: usize, until: sk_instant, reason: *const c_char,
        key: *const c_char, key_length: usize,
    ) -> sk_status;
    pub fn sk_customer_revoke_grant(
        customer: *mut sk_customer, reason: *const c_char, key: *const c_char, key_length: usize,
    ) -> sk_status;
    pub fn sk_customer_explain_feature(
        customer: *mut sk_customer, feature: *const c_char, length: usize, at: sk_instant, json: *mut sk_text,
    ) -> sk_status;
    pub fn sk_customer_explain_product(
        customer: *mut sk_customer, product: *const c_char, length: usize, at: sk_instant, json: *mut sk_text,
    ) -> sk_status;

    pub fn sk_snapshot_free(snapshot: *mut sk_snapshot);
    pub fn sk_snapshot_has_feature(
        snapshot: *mut sk_snapshot, feature: *const c_char, length: usize, at: sk_instant, answer: *mut bool,
    ) -> sk_status;
    pub fn sk_snapshot_is_entitled(
        snapshot: *mut sk_snapshot, product: *const c_char, length: usize, at: sk_instant, answer: *mut bool,
    ) -> sk_status;
    pub fn sk_snapshot_balance(
        snapshot: *mut sk_snapshot, balance: *const c_char, length: usize, units: *mut i64,
    ) -> sk_status;
    pub fn sk_snapshot_next_change(snapshot: *mut sk_snapshot, at: sk_instant, change: *mut sk_instant) -> sk_status;
    pub fn sk_snapshot_entitlements(snapshot: *mut sk_snapshot, at: sk_instant, json: *mut sk_text) -> sk_status;
    pub fn sk_snapshot_timeline(snapshot: *mut sk_snapshot, at: sk_instant, svg: *mut sk_text) -> sk_status;

    pub fn sk_queue_new(queue: *mut *mut sk_queue) -> sk_status;
    pub fn sk_queue_free(queue: *mut sk_queue);
    pub fn sk_queue_fd(queue: *mut sk_queue, fd: *mut c_int) -> sk_status;
    pub fn sk_queue_next(queue: *mut sk_queue, item: *mut sk_item) -> sk_status;

    pub fn sk_begin_open(
        pool: *mut sk_pool, id: *const c_char, length: usize, queue: *mut sk_queue, tag: u64,
    ) -> sk_status;
    pub fn sk_begin_receive(
        pool: *mut sk_pool, body: *const c_char, length: usize, queue: *mut sk_queue, tag: u64,
    ) -> sk_status;
    pub fn sk_begin_ingest(
        customer: *mut sk_customer, evidence: *const c_char, length: usize, is_complete: bool, queue: *mut sk_queue,
        tag: u64,
    ) -> sk_status;
    pub fn sk_begin_sync(customer: *mut sk_customer, queue: *mut sk_queue, tag: u64) -> sk_status;
    pub fn sk_begin_spend(
        customer: *mut sk_customer, balance: *const c_char, length: usize, units: i64, key: *const c_char,
        key_length: usize, queue: *mut sk_queue, tag: u64,
    ) -> sk_status;
    pub fn sk_begin_grant(
        customer: *mut sk_customer, balance: *const c_char, length: usize, units: i64, reason: *const c_char,
        key: *const c_char, key_length: usize, queue: *mut sk_queue, tag: u64,
    ) -> sk_status;

    pub fn sk_reply_send(reply: *mut sk_reply, status: sk_status, text: *const c_char, length: usize) -> sk_status;

    pub fn sk_simulator_new(options: *const sk_simulator_options, simulator: *mut *mut sk_simulator) -> sk_status;
    pub fn sk_simulator_free(simulator: *mut sk_simulator);
    pub fn sk_simulator_root(simulator: *mut sk_simulator, pem: *mut sk_text) -> sk_status;
    pub fn sk_simulator_now(simulator: *mut sk_simulator, now: *mut sk_instant) -> sk_status;
    pub fn sk_simulator_advance(simulator: *mut sk_simulator, to: sk_instant) -> sk_status;
    pub fn sk_simulator_add_account(simulator: *mut sk_simulator, id: *const c_char, length: usize) -> sk_status;
    pub fn sk_simulator_buy(
        simulator: *mut sk_simulator, id: *const c_char, length: usize, product: *const c_char,
        product_length: usize, transaction: *mut sk_text,
    ) -> sk_status;
    pub fn sk_simulator_refund(
        simulator: *mut sk_simulator, transaction: *const c_char, length: usize,
    ) -> sk_status;
    pub fn sk_simulator_set_auto_renew(
        simulator: *mut sk_simulator, transaction: *const c_char, length: usize, is_on: bool,
    ) -> sk_status;
    pub fn sk_simulator_evidence(
        simulator: *mut sk_simulator, id: *const c_char, length: usize, evidence: *mut sk_text,
    ) -> sk_status;
    pub fn sk_simulator_notifications(
        simulator: *mut sk_simulator, skip: usize, notifications: *mut sk_text,
    ) -> sk_status;
}
