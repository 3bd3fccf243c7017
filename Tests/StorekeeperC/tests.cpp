// Tests of storekeeper.hpp. usage: tests_cpp CONFIGURATION
#include <storekeeper.hpp>

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

namespace sk = storekeeper;

static int failures = 0;
#define CHECK(condition) \
    do { \
        if (!(condition)) { std::cerr << "tests.cpp:" << __LINE__ << ": " #condition " is false\n"; failures++; } \
    } while (0)

static std::string folder;
constexpr sk::instant june = 1780315200000;

static std::string contents(const std::string &name) {
    std::ifstream file(folder + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

static sk::verifier verifier() {
    return sk::verifier::make(contents("evidence/root.pem"), "com.example.lanternvale").value();
}

static sk::pool pool() {
    auto trust = verifier();
    sk::pool_options options;
    options.verifier = &trust;
    options.catalog_path = folder + "/Products.json";
    return sk::pool::open(options).value();
}

static sk::item wait_for(sk::queue &queue) {
    pollfd ready{queue.descriptor(), POLLIN, 0};
    CHECK(poll(&ready, 1, 10000) == 1);
    return std::move(*queue.next().value());
}

static void test_questions() {
    static_assert(!std::is_copy_constructible_v<sk::customer> && std::is_nothrow_move_constructible_v<sk::customer>);
    auto shop = pool();
    auto anna = shop.open_customer("anna").value();
    auto report = anna.ingest(contents("evidence/season-pass-and-remove-ads.jsonl"), true).value();
    CHECK(report.error.status == SK_OK && report.json.find("\"failures\":[]") != std::string::npos);
    CHECK(anna.has_feature("season-arena", june).value());
    CHECK(!anna.has_feature("pro", june).value());
    CHECK(anna.is_entitled("remove.ads", june).value());
    CHECK(anna.balance("gems").value() == 60);
    CHECK(anna.next_change(june).value() > june);
    CHECK(anna.next_change(INT64_C(8000000000000000)).value() == sk::forever);
    auto answer = anna.product("bronze.monthly", june).value();
    CHECK(answer.kind == sk::answer::kind::lapsed && answer.reason == "expired");
    auto unknown = anna.has_feature("seson-arena", june);
    CHECK(!unknown && unknown.error().code == "unknownFeature" && !unknown.value_or(false));
    try {
        (void)unknown.value();
        CHECK(false);
    } catch (const sk::failure &failure) {
        CHECK(failure.error.status == SK_UNKNOWN);
    }
    auto snapshot = anna.snapshot().value();
    CHECK(shop.close().has_value());
    CHECK(anna.has_feature("pro").error().status == SK_CLOSED);
    CHECK(snapshot.has_feature("season-arena", june).value());
    CHECK(snapshot.entitlements(june).value().find("remove.ads") != std::string::npos);
    auto moved = std::move(anna);
    CHECK(anna.has_feature("pro").error().status == SK_MISUSE); // A customer that was moved away is null.
}

static void test_ledger_and_queue() {
    auto shop = pool();
    auto queue = sk::queue::make().value();
    CHECK(!queue.next().value());
    CHECK(shop.subscribe(queue, 5).has_value());
    CHECK(shop.begin_open("anna", queue, 1).has_value());
    auto opened = wait_for(queue);
    CHECK(opened.kind == sk::item::kind::result && opened.tag == 1 && opened.customer);
    auto anna = std::move(*opened.customer);
    CHECK(anna.ingest(contents("evidence/coins-one-refunded.jsonl"), true).has_value());
    auto first = anna.spend(30, "coins", "lantern-42").value();
    auto again = anna.spend(30, "coins", "lantern-42").value();
    CHECK(first.balance == 670 && again.balance == 670 && again.is_replayed && first.id == again.id);
    CHECK(anna.begin_spend(9000, "coins", "lantern-43", queue, 2).has_value());
    auto refused = wait_for(queue);
    CHECK(refused.status == SK_REFUSED && refused.json.find("insufficient") != std::string::npos);
    CHECK(anna.grant_feature("pro", june * 2, "a lost day", "ticket-1").has_value());
    CHECK(wait_for(queue).kind == sk::item::kind::event);
    CHECK(shop.receive("{\"signedPayload\":\"a.b.c\"}").value() == 400);
    auto audit = shop.audit().value();
    CHECK(audit.error.status == SK_OK && audit.json.find("\"faults\":[]") != std::string::npos);
}

// Texts that C reads up to a zero byte are refused if they have one inside.
static void test_zero_bytes() {
    using namespace std::string_literals;
    auto shop = pool();
    auto anna = shop.open_customer("anna").value();
    auto queue = sk::queue::make().value();
    CHECK(anna.grant(1, "coins", "a\0b"s, "k").error().code == "zeroByte");
    CHECK(anna.begin_grant(1, "coins", "a\0b"s, "k", queue, 1).error().code == "zeroByte");
    CHECK(anna.grant_feature("pro", june * 2, "a\0b"s, "k").error().code == "zeroByte");
    CHECK(anna.revoke_grant("a\0b"s, "k").error().code == "zeroByte");
    CHECK(shop.load_catalog("a\0b"s, "{}").error().code == "zeroByte");
    CHECK(sk::verifier::make(contents("evidence/root.pem"), "a.b\0c"s).error().code == "zeroByte");
    CHECK(sk::simulator::make("a.b", folder + "/Store.storekit\0c"s).error().code == "zeroByte");
    sk::pool_options options;
    options.vault = "/tmp/a\0b"s;
    CHECK(sk::pool::open(options).error().code == "zeroByte");
}

// An audit that finds faults gives them.
static void test_faults() {
    auto path = std::filesystem::temp_directory_path() / ("storekeeper-cpp-" + std::to_string(getpid()) + ".sqlite");
    auto trust = verifier();
    sk::pool_options options;
    options.verifier = &trust;
    options.vault = path.string();
    {
        auto shop = sk::pool::open(options).value();
        auto anna = shop.open_customer("anna").value();
        CHECK(anna.grant(1, "coins", "a gift of the vale", "k").has_value());
        CHECK(shop.close().has_value());
    }
    std::string bytes;
    {
        std::ifstream file(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(file), {});
    }
    int found = 0;
    for (std::size_t at; (at = bytes.find("a gift of the vale")) != bytes.npos; found++) bytes[at] = 'A';
    CHECK(found > 0);
    std::ofstream(path, std::ios::binary) << bytes;
    auto audit = sk::pool::open(options).value().audit().value();
    CHECK(audit.error.status == SK_CORRUPT && audit.json.find("\"faults\":[{") != std::string::npos);
    for (auto suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path.string() + suffix);
}

struct archive : sk::backend {
    sk::simulator simulator;
    std::vector<std::thread> threads;
    std::atomic<int> *freed;
    std::atomic<sk::pool *> closing{nullptr};

    archive(sk::simulator simulator, std::atomic<int> *freed) : simulator(std::move(simulator)), freed(freed) {}
    ~archive() override {
        for (auto &thread : threads) thread.join();
        ++*freed;
    }
    void history(const std::string &customer, const std::string &, reply reply) override {
        if (customer == "bert") throw std::runtime_error("the archive is away");
        if (customer == "cleo") throw 7;
        if (auto pool = closing.exchange(nullptr)) CHECK(pool->close().error().code == "ownBackend");
        // Another thread replies, after this call has returned.
        threads.emplace_back([this, customer, reply] {
            std::string lines = simulator.evidence(customer).value(), json = "{\"items\":[";
            for (std::size_t start = 0, end; (end = lines.find('\n', start)) != lines.npos; start = end + 1)
                json += (start ? ",\"" : "\"") + lines.substr(start, end - start) + "\"";
            reply(SK_OK, json + "]}");
        });
    }
};

static void test_backend() {
    std::atomic<int> freed{0};
    auto simulator = sk::simulator::make("com.example.lanternvale", folder + "/Store.storekit").value();
    CHECK(simulator.add_account("anna").has_value());
    auto bought = simulator.buy("anna", "gold.monthly").value();
    CHECK(!bought.empty() && simulator.buy("anna", "no.such").error().status == SK_UNKNOWN);
    auto trust = sk::verifier::make(simulator.root().value(), "com.example.lanternvale", SK_SANDBOX).value();
    auto now = simulator.now().value();
    sk::pool_options options;
    options.verifier = &trust;
    options.catalog_path = folder + "/Products.json";
    options.backend_name = "archive";
    auto source = std::make_shared<archive>(std::move(simulator), &freed);
    options.backend = source;
    {
        auto shop = sk::pool::open(options).value();
        options.backend.reset();
        auto anna = shop.open_customer("anna").value();
        CHECK(anna.sync().value().find("\"failures\":[]") != std::string::npos);
        CHECK(anna.has_feature("pro", now + 86400000).value());
        // An exception is a reply, and the process goes on.
        auto queue = sk::queue::make().value();
        CHECK(shop.report_to(queue, 9).has_value());
        auto failed = shop.open_customer("bert").value().sync().error();
        CHECK(failed.status == SK_IO && failed.message.find("the archive is away") != std::string::npos);
        failed = shop.open_customer("cleo").value().sync().error();
        CHECK(failed.status == SK_IO && failed.message.find("exception") != std::string::npos);
        CHECK(wait_for(queue).kind == sk::item::kind::report);
        CHECK(shop.end_reports().has_value());
        // A function of the backend cannot close the pool, which stays open until it is closed elsewhere.
        source->closing = &shop;
        CHECK(anna.sync().has_value() && !source->closing);
        CHECK(anna.sync().has_value());
        source.reset();
        CHECK(shop.close().has_value() && anna.sync().error().status == SK_CLOSED);
    }
    CHECK(freed == 1);
    // A pool that cannot be opened frees its backend, too.
    options.backend = std::make_shared<archive>(
        sk::simulator::make("a.b", folder + "/Store.storekit").value(), &freed);
    options.catalog_path = "/no/such/catalog";
    CHECK(sk::pool::open(options).error().status == SK_INVALID);
    options.backend.reset();
    CHECK(freed == 2);
}

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    folder = argv[1];
    test_questions();
    test_ledger_and_queue();
    test_zero_bytes();
    test_faults();
    test_backend();
    std::cout << "5 tests of C++, " << failures << " failures\n";
    return failures != 0;
}
