// storekeeper.hpp: libstorekeeper for C++17, in one header.
//
// It adds three things to storekeeper.h, which remains the documentation: objects free themselves, texts are std::string
// and std::string_view, and a call that can fail returns a result, which has a value or an error. Nothing throws, except
// result::value() of an error, so that the header also compiles without exceptions.
//
//     auto pool = storekeeper::pool::open(options).value();
//     auto anna = pool.open_customer("anna").value();
//     if (anna.has_feature("pro").value_or(false)) { … }
#ifndef STOREKEEPER_HPP
#define STOREKEEPER_HPP

#include <storekeeper.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

namespace storekeeper {

using instant = sk_instant;
constexpr instant now = SK_NOW;
constexpr instant forever = SK_FOREVER;

/// The failure of a call.
struct error {
    sk_status status = SK_OK;
    std::string code;
    std::string message;

    /// The last failure of this thread.
    static error last(sk_status status) { return {status, sk_error_code(), sk_error_message()}; }
};

#if defined(__cpp_exceptions)
/// What value() throws.
struct failure : std::runtime_error {
    explicit failure(storekeeper::error cause)
        : std::runtime_error(cause.code + ": " + cause.message), error(std::move(cause)) {}
    storekeeper::error error;
};
#endif

/// A value or an error, like std::expected of C++23.
template <class Value>
class [[nodiscard]] result {
public:
    result(Value value) : content_(std::in_place_index<0>, std::move(value)) {}
    result(storekeeper::error error) : content_(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const noexcept { return content_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    /// The value; throws `failure` if there is none, or ends the program where exceptions are off.
    Value &value() & { check(); return *std::get_if<0>(&content_); }
    const Value &value() const & { check(); return *std::get_if<0>(&content_); }
    Value &&value() && { check(); return std::move(*std::get_if<0>(&content_)); }
    template <class Other>
    Value value_or(Other &&other) const & { return has_value() ? *std::get_if<0>(&content_) : Value(std::forward<Other>(other)); }

    /// The error; one with SK_OK if there is a value.
    storekeeper::error error() const { return has_value() ? storekeeper::error{} : *std::get_if<1>(&content_); }

private:
    void check() const {
        if (has_value()) return;
        const auto &error = *std::get_if<1>(&content_);
#if defined(__cpp_exceptions)
        throw failure(error);
#else
        std::fprintf(stderr, "storekeeper: %s: %s\n", error.code.c_str(), error.message.c_str());
        std::abort();
#endif
    }

    std::variant<Value, storekeeper::error> content_;
};

/// A result without a value.
struct done {};

namespace detail {

template <auto Free>
struct freeing {
    template <class Handle>
    void operator()(Handle *handle) const noexcept { Free(handle); }
};

template <class Handle, auto Free>
using handle = std::unique_ptr<Handle, freeing<Free>>;

struct close_pool {
    void operator()(sk_pool *pool) const noexcept { (void)sk_pool_close(pool); }
};

/// Copies a text of the library, and frees it.
inline std::string take(sk_text &text) {
    std::string copy = text.bytes ? std::string(text.bytes, text.length) : std::string();
    sk_text_free(text.bytes);
    text = {};
    return copy;
}

inline result<done> checked(sk_status status) {
    if (status != SK_OK) return error::last(status);
    return done{};
}

template <class Value>
result<Value> checked(sk_status status, Value value) {
    if (status != SK_OK) return error::last(status);
    return value;
}

/// The error of texts of which C would read only the part before a zero byte; nothing if there is no such text.
inline std::optional<error> zero_byte(std::initializer_list<std::string_view> texts) {
    for (auto text : texts)
        if (text.find('\0') != text.npos) return error{SK_INVALID, "zeroByte", "the text has a zero byte inside"};
    return std::nullopt;
}

/// The result of a function that gives a report, also if it fails.
template <class Report, class Call>
result<Report> report(Call call) {
    sk_text json{};
    sk_status status = call(&json);
    auto failed = status == SK_OK ? error{} : error::last(status);
    if (!json.bytes) return failed;
    return Report{take(json), failed};
}

/// The result of a function that gives a text.
template <class Call>
result<std::string> text(Call call) {
    sk_text text{};
    sk_status status = call(&text);
    if (status != SK_OK) {
        auto failed = error::last(status);
        sk_text_free(text.bytes);
        return failed;
    }
    return take(text);
}

} // namespace detail

struct answer {
    enum class kind { unknown = SK_IS_UNKNOWN, never = SK_IS_NEVER, lapsed = SK_IS_LAPSED, pending = SK_IS_PENDING,
                      entitled = SK_IS_ENTITLED };
    answer::kind kind;
    std::string_view reason; // Static.
    instant until;
};

struct receipt {
    std::int64_t balance;
    bool is_replayed;
    std::string id;
};

/// What became of evidence; `error` has SK_UNVERIFIED if an item was not verified, although the others were stored.
struct ingested {
    std::string json;
    storekeeper::error error;
};

/// What an audit found; `error` has SK_CORRUPT if `json` lists faults.
struct audited {
    std::string json;
    storekeeper::error error;
};

class snapshot {
public:
    result<bool> has_feature(std::string_view feature, instant at = now) const {
        bool answer = false;
        sk_status status = sk_snapshot_has_feature(handle_.get(), feature.data(), feature.size(), at, &answer);
        return detail::checked(status, answer);
    }
    result<bool> is_entitled(std::string_view product, instant at = now) const {
        bool answer = false;
        sk_status status = sk_snapshot_is_entitled(handle_.get(), product.data(), product.size(), at, &answer);
        return detail::checked(status, answer);
    }
    result<std::int64_t> balance(std::string_view name) const {
        std::int64_t units = 0;
        sk_status status = sk_snapshot_balance(handle_.get(), name.data(), name.size(), &units);
        return detail::checked(status, units);
    }
    result<instant> next_change(instant at = now) const {
        instant change = 0;
        sk_status status = sk_snapshot_next_change(handle_.get(), at, &change);
        return detail::checked(status, change);
    }
    result<std::string> entitlements(instant at = now) const {
        return detail::text([&](sk_text *json) { return sk_snapshot_entitlements(handle_.get(), at, json); });
    }
    result<std::string> timeline(instant at = now) const {
        return detail::text([&](sk_text *svg) { return sk_snapshot_timeline(handle_.get(), at, svg); });
    }
    sk_snapshot *get() const noexcept { return handle_.get(); }

private:
    friend class customer;
    explicit snapshot(sk_snapshot *handle) : handle_(handle) {}
    detail::handle<sk_snapshot, sk_snapshot_free> handle_;
};

class queue;

class customer {
public:
    explicit customer(sk_customer *handle) : handle_(handle) {}

    result<bool> has_feature(std::string_view feature, instant at = now) const {
        bool answer = false;
        sk_status status = sk_has_feature(handle_.get(), feature.data(), feature.size(), at, &answer);
        return detail::checked(status, answer);
    }
    result<bool> is_entitled(std::string_view product, instant at = now) const {
        bool answer = false;
        sk_status status = sk_is_entitled(handle_.get(), product.data(), product.size(), at, &answer);
        return detail::checked(status, answer);
    }
    result<std::int64_t> balance(std::string_view name) const {
        std::int64_t units = 0;
        sk_status status = sk_balance(handle_.get(), name.data(), name.size(), &units);
        return detail::checked(status, units);
    }
    result<instant> next_change(instant at = now) const {
        instant change = 0;
        sk_status status = sk_next_change(handle_.get(), at, &change);
        return detail::checked(status, change);
    }
    result<storekeeper::answer> feature(std::string_view id, instant at = now) const {
        sk_answer answer{sizeof answer, 0, nullptr, 0};
        sk_status status = sk_feature_answer(handle_.get(), id.data(), id.size(), at, &answer);
        return converted(status, answer);
    }
    result<storekeeper::answer> product(std::string_view id, instant at = now) const {
        sk_answer answer{sizeof answer, 0, nullptr, 0};
        sk_status status = sk_product_answer(handle_.get(), id.data(), id.size(), at, &answer);
        return converted(status, answer);
    }
    result<storekeeper::snapshot> snapshot() const {
        sk_snapshot *snapshot = nullptr;
        if (sk_status status = sk_customer_snapshot(handle_.get(), &snapshot)) return error::last(status);
        return storekeeper::snapshot(snapshot);
    }

    /// Fails only if nothing was stored; evidence that is not verified is in the error of the value.
    result<ingested> ingest(std::string_view evidence, bool is_complete = false) {
        return detail::report<ingested>([&](sk_text *json) {
            return sk_customer_ingest(handle_.get(), evidence.data(), evidence.size(), is_complete, json);
        });
    }
    result<std::string> sync() {
        return detail::text([&](sk_text *json) { return sk_customer_sync(handle_.get(), json); });
    }
    result<storekeeper::receipt> spend(std::int64_t units, std::string_view balance, std::string_view key) {
        sk_receipt receipt{};
        receipt.size = sizeof receipt;
        sk_status status = sk_customer_spend(
            handle_.get(), balance.data(), balance.size(), units, key.data(), key.size(), &receipt);
        return converted(status, receipt);
    }
    result<storekeeper::receipt> grant(
        std::int64_t units, std::string_view balance, const std::string &reason, std::string_view key) {
        if (auto refused = detail::zero_byte({reason})) return *refused;
        sk_receipt receipt{};
        receipt.size = sizeof receipt;
        sk_status status = sk_customer_grant(
            handle_.get(), balance.data(), balance.size(), units, reason.c_str(), key.data(), key.size(), &receipt);
        return converted(status, receipt);
    }
    result<done> grant_feature(std::string_view feature, instant until, const std::string &reason, std::string_view key) {
        if (auto refused = detail::zero_byte({reason})) return *refused;
        return detail::checked(sk_customer_grant_feature(
            handle_.get(), feature.data(), feature.size(), until, reason.c_str(), key.data(), key.size()));
    }
    result<done> revoke_grant(const std::string &reason, std::string_view key) {
        if (auto refused = detail::zero_byte({reason})) return *refused;
        return detail::checked(sk_customer_revoke_grant(handle_.get(), reason.c_str(), key.data(), key.size()));
    }
    result<std::string> explain_feature(std::string_view id, instant at = now) const {
        return detail::text([&](sk_text *json) {
            return sk_customer_explain_feature(handle_.get(), id.data(), id.size(), at, json);
        });
    }
    result<std::string> explain_product(std::string_view id, instant at = now) const {
        return detail::text([&](sk_text *json) {
            return sk_customer_explain_product(handle_.get(), id.data(), id.size(), at, json);
        });
    }

    inline result<done> begin_ingest(std::string_view evidence, bool is_complete, queue &queue, std::uint64_t tag);
    inline result<done> begin_sync(queue &queue, std::uint64_t tag);
    inline result<done> begin_spend(
        std::int64_t units, std::string_view balance, std::string_view key, queue &queue, std::uint64_t tag);
    inline result<done> begin_grant(
        std::int64_t units, std::string_view balance, const std::string &reason, std::string_view key, queue &queue,
        std::uint64_t tag);

    sk_customer *get() const noexcept { return handle_.get(); }

private:
    static result<storekeeper::answer> converted(sk_status status, const sk_answer &answer) {
        if (status != SK_OK) return error::last(status);
        return storekeeper::answer{
            static_cast<enum storekeeper::answer::kind>(answer.kind), answer.reason ? answer.reason : "", answer.until};
    }
    static result<storekeeper::receipt> converted(sk_status status, const sk_receipt &receipt) {
        if (status != SK_OK) return error::last(status);
        return storekeeper::receipt{receipt.balance, receipt.is_replayed, receipt.id};
    }

    detail::handle<sk_customer, sk_customer_free> handle_;
};

/// What a queue brings.
struct item {
    enum class kind { result = SK_RESULT, event = SK_EVENT, report = SK_REPORT };
    item::kind kind;
    sk_status status;
    std::uint64_t tag;
    std::int64_t place;
    std::optional<storekeeper::customer> customer;
    std::string json;
};

class queue {
public:
    static result<queue> make() {
        sk_queue *handle = nullptr;
        if (sk_status status = sk_queue_new(&handle)) return error::last(status);
        return queue(handle);
    }
    /// The descriptor for poll() and epoll, which belongs to the queue; -1 if the queue was moved away.
    int descriptor() const noexcept {
        int descriptor = -1;
        (void)sk_queue_fd(handle_.get(), &descriptor);
        return descriptor;
    }
    /// Takes the next item; nothing if there is none now.
    result<std::optional<item>> next() {
        sk_item next{};
        next.size = sizeof next;
        sk_status status = sk_queue_next(handle_.get(), &next);
        if (status == SK_EMPTY) return std::optional<item>();
        if (status != SK_OK) return error::last(status);
        std::optional<item> taken(item{
            static_cast<enum item::kind>(next.kind), next.status, next.tag, next.place, std::nullopt,
            detail::take(next.json)});
        if (next.customer) taken->customer.emplace(next.customer);
        return taken;
    }
    sk_queue *get() const noexcept { return handle_.get(); }

private:
    explicit queue(sk_queue *handle) : handle_(handle) {}
    detail::handle<sk_queue, sk_queue_free> handle_;
};

class verifier {
public:
    /// `root` is DER or PEM; `environments` is SK_PRODUCTION and so on, 0 for SK_PRODUCTION.
    static result<verifier> make(
        std::string_view root, const std::string &bundle_id, unsigned environments = 0, std::int64_t app_apple_id = 0) {
        if (auto refused = detail::zero_byte({bundle_id})) return *refused;
        sk_verifier_options options{};
        options.size = sizeof options;
        options.root = root.data();
        options.root_length = root.size();
        options.bundle_id = bundle_id.c_str();
        options.app_apple_id = app_apple_id;
        options.environments = environments;
        sk_verifier *handle = nullptr;
        if (sk_status status = sk_verifier_new(&options, &handle)) return error::last(status);
        return verifier(handle);
    }
    result<std::string> verify(std::string_view jws) const {
        return detail::text([&](sk_text *payload) { return sk_verify(handle_.get(), jws.data(), jws.size(), payload); });
    }
    sk_verifier *get() const noexcept { return handle_.get(); }

private:
    explicit verifier(sk_verifier *handle) : handle_(handle) {}
    detail::handle<sk_verifier, sk_verifier_free> handle_;
};

class simulator {
public:
    static result<simulator> make(
        const std::string &bundle_id, const std::string &catalog_path, instant start = 0, std::uint64_t seed = 0) {
        if (auto refused = detail::zero_byte({bundle_id, catalog_path})) return *refused;
        sk_simulator_options options{};
        options.size = sizeof options;
        options.bundle_id = bundle_id.c_str();
        options.catalog_path = catalog_path.c_str();
        options.start = start;
        options.seed = seed;
        sk_simulator *handle = nullptr;
        if (sk_status status = sk_simulator_new(&options, &handle)) return error::last(status);
        return simulator(handle);
    }
    result<instant> now() const {
        instant now = 0;
        sk_status status = sk_simulator_now(handle_.get(), &now);
        return detail::checked(status, now);
    }
    result<done> advance(instant to) { return detail::checked(sk_simulator_advance(handle_.get(), to)); }
    result<done> add_account(std::string_view id) {
        return detail::checked(sk_simulator_add_account(handle_.get(), id.data(), id.size()));
    }
    /// Returns the id of the transaction.
    result<std::string> buy(std::string_view id, std::string_view product) {
        return detail::text([&](sk_text *transaction) {
            return sk_simulator_buy(handle_.get(), id.data(), id.size(), product.data(), product.size(), transaction);
        });
    }
    result<done> refund(std::string_view transaction) {
        return detail::checked(sk_simulator_refund(handle_.get(), transaction.data(), transaction.size()));
    }
    result<done> set_auto_renew(std::string_view transaction, bool is_on) {
        return detail::checked(
            sk_simulator_set_auto_renew(handle_.get(), transaction.data(), transaction.size(), is_on));
    }
    result<std::string> root() const {
        return detail::text([&](sk_text *pem) { return sk_simulator_root(handle_.get(), pem); });
    }
    result<std::string> evidence(std::string_view id) const {
        return detail::text([&](sk_text *text) {
            return sk_simulator_evidence(handle_.get(), id.data(), id.size(), text);
        });
    }
    result<std::string> notifications(std::size_t skip = 0) const {
        return detail::text([&](sk_text *text) { return sk_simulator_notifications(handle_.get(), skip, text); });
    }
    sk_simulator *get() const noexcept { return handle_.get(); }

private:
    explicit simulator(sk_simulator *handle) : handle_(handle) {}
    detail::handle<sk_simulator, sk_simulator_free> handle_;
};

/// A source of evidence of your own. A reply is sent once, with `reply`, during the call or later from any thread. An
/// exception that leaves a function is its reply, with SK_IO.
class backend {
public:
    using reply = std::function<void(sk_status, std::string_view)>;

    virtual ~backend() = default;
    /// Asks for {"items":[JWS, …],"next":CURSOR}.
    virtual void history(const std::string &customer, const std::string &cursor, reply reply) = 0;
    /// Asks for [{"transaction":JWS,"renewalInfo":JWS}, …].
    virtual void statuses(const std::string &, reply reply) { reply(SK_OK, "[]"); }
};

struct pool_options {
    std::string vault; // A path or postgres://…; empty keeps all in memory, for tests.
    const storekeeper::verifier *verifier = nullptr;
    std::string catalog_path;
    std::string catalog; // The text of a catalog, instead of a path.
    const sk_app_store *app_store = nullptr;
    std::string backend_name;
    std::shared_ptr<storekeeper::backend> backend;
    const storekeeper::simulator *simulator = nullptr;
    std::size_t capacity = 0;
    std::int64_t refresh_interval = 0;
};

class pool {
public:
    static result<pool> open(const pool_options &options) {
        if (auto refused = detail::zero_byte({options.vault, options.catalog_path, options.backend_name}))
            return *refused;
        sk_pool_options plain{};
        sk_backend functions{};
        plain.size = sizeof plain;
        if (!options.vault.empty()) plain.vault = options.vault.c_str();
        if (options.verifier) plain.verifier = options.verifier->get();
        if (!options.catalog_path.empty()) plain.catalog_path = options.catalog_path.c_str();
        if (!options.catalog.empty()) {
            plain.catalog = options.catalog.data();
            plain.catalog_length = options.catalog.size();
        }
        plain.app_store = options.app_store;
        if (options.simulator) plain.simulator = options.simulator->get();
        plain.capacity = options.capacity;
        plain.refresh_interval = options.refresh_interval;
        if (options.backend) {
            // The library's copy of the pointer is freed by `release`.
            functions = {sizeof functions, options.backend_name.c_str(),
                         new std::shared_ptr<storekeeper::backend>(options.backend), history, statuses, release};
            plain.backend = &functions;
        }
        sk_pool *handle = nullptr;
        if (sk_status status = sk_pool_open(&plain, &handle)) {
            auto failed = error::last(status);
            if (functions.context) release(functions.context);
            return failed;
        }
        return pool(handle);
    }
    /// Closes the pool, which otherwise closes when it is destroyed. A function of its own backend cannot close it:
    /// there this call fails, and may be repeated elsewhere; a pool that is destroyed there stays open.
    result<done> close() {
        sk_status status = sk_pool_close(handle_.get());
        if (status != SK_MISUSE) (void)handle_.release();
        return detail::checked(status);
    }

    result<customer> open_customer(std::string_view id) {
        sk_customer *handle = nullptr;
        if (sk_status status = sk_customer_open(handle_.get(), id.data(), id.size(), &handle)) return error::last(status);
        return customer(handle);
    }
    result<done> begin_open(std::string_view id, queue &queue, std::uint64_t tag) {
        return detail::checked(sk_begin_open(handle_.get(), id.data(), id.size(), queue.get(), tag));
    }
    result<done> load_catalog(const std::string &name, std::string_view text) {
        if (auto refused = detail::zero_byte({name})) return *refused;
        return detail::checked(sk_pool_load_catalog(handle_.get(), name.c_str(), text.data(), text.size()));
    }
    /// Returns the status with which to answer the request, or an error for a null or closed pool.
    result<int> receive(std::string_view body) {
        int http_status = 0;
        sk_status status = sk_pool_receive(handle_.get(), body.data(), body.size(), &http_status);
        if (http_status == 0) return error::last(status);
        return http_status;
    }
    result<done> begin_receive(std::string_view body, queue &queue, std::uint64_t tag) {
        return detail::checked(sk_begin_receive(handle_.get(), body.data(), body.size(), queue.get(), tag));
    }
    /// Fails only if the audit could not run; faults are in the error of the value.
    result<audited> audit() const {
        return detail::report<audited>([&](sk_text *json) { return sk_pool_audit(handle_.get(), json); });
    }
    result<done> subscribe(queue &queue, std::uint64_t tag, std::int64_t after = 0) {
        return detail::checked(sk_pool_subscribe(handle_.get(), queue.get(), tag, after));
    }
    result<done> report_to(queue &queue, std::uint64_t tag) {
        return detail::checked(sk_pool_report(handle_.get(), queue.get(), tag));
    }
    result<done> end_reports() { return detail::checked(sk_pool_report(handle_.get(), nullptr, 0)); }
    sk_pool *get() const noexcept { return handle_.get(); }

private:
    explicit pool(sk_pool *handle) : handle_(handle) {}

    static backend::reply sending(sk_reply *reply) {
        return [reply](sk_status status, std::string_view text) {
            (void)sk_reply_send(reply, status, text.data(), text.size());
        };
    }
    /// Calls a function of a backend; an exception must not enter the library.
    template <class Call>
    static void guarded(sk_reply *reply, Call call) {
#if defined(__cpp_exceptions)
        try {
            call();
        } catch (const std::exception &failure) {
            (void)sk_reply_send(reply, SK_IO, failure.what(), SK_NTS);
        } catch (...) {
            (void)sk_reply_send(reply, SK_IO, "the backend has thrown an exception", SK_NTS);
        }
#else
        (void)reply;
        call();
#endif
    }
    static void history(void *context, sk_reply *reply, const char *customer, const char *cursor) {
        guarded(reply, [&] {
            (*static_cast<std::shared_ptr<storekeeper::backend> *>(context))->history(customer, cursor, sending(reply));
        });
    }
    static void statuses(void *context, sk_reply *reply, const char *customer) {
        guarded(reply, [&] {
            (*static_cast<std::shared_ptr<storekeeper::backend> *>(context))->statuses(customer, sending(reply));
        });
    }
    static void release(void *context) { delete static_cast<std::shared_ptr<storekeeper::backend> *>(context); }

    std::unique_ptr<sk_pool, detail::close_pool> handle_;
};

inline result<done> customer::begin_ingest(
    std::string_view evidence, bool is_complete, queue &queue, std::uint64_t tag) {
    return detail::checked(
        sk_begin_ingest(handle_.get(), evidence.data(), evidence.size(), is_complete, queue.get(), tag));
}

inline result<done> customer::begin_sync(queue &queue, std::uint64_t tag) {
    return detail::checked(sk_begin_sync(handle_.get(), queue.get(), tag));
}

inline result<done> customer::begin_spend(
    std::int64_t units, std::string_view balance, std::string_view key, queue &queue, std::uint64_t tag) {
    return detail::checked(sk_begin_spend(
        handle_.get(), balance.data(), balance.size(), units, key.data(), key.size(), queue.get(), tag));
}

inline result<done> customer::begin_grant(
    std::int64_t units, std::string_view balance, const std::string &reason, std::string_view key, queue &queue,
    std::uint64_t tag) {
    if (auto refused = detail::zero_byte({reason})) return *refused;
    return detail::checked(sk_begin_grant(
        handle_.get(), balance.data(), balance.size(), units, reason.c_str(), key.data(), key.size(), queue.get(), tag));
}

} // namespace storekeeper

#endif
