// A game server in C++ with a thousand players and sixty ticks a second, over libstorekeeper.
//
// usage: server CATALOG [SECONDS]
//
// Each tick asks a feature and a balance of each player, and begins a few spends. Meanwhile a simulated App Store sells
// coins and subscriptions, and refunds some of them. Results and events come through one queue, whose descriptor the loop
// waits for between two ticks. In the end the vault is audited.
#include <storekeeper.hpp>

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

namespace sk = storekeeper;
using clock_type = std::chrono::steady_clock;
using std::chrono::duration;
using std::chrono::milliseconds;

constexpr int player_count = 1000;

static std::string name(int player) { return "player-" + std::to_string(player); }

// Sells until it is stopped: coins to everyone, a month of gold to every third, and every tenth purchase is refunded.
static void sell(
    sk::simulator &store, const std::atomic<bool> &stop, std::atomic<int> &sold, std::atomic<int> &refunded) {
    for (int number = 0; !stop; number++) {
        auto player = name(number * 7 % player_count);
        auto bought = store.buy(player, number % 3 ? "coins.100" : "gold.monthly");
        if (bought) { // The App Store refuses gold to a player who has it.
            sold++;
            if (number % 10 == 9 && store.refund(bought.value())) refunded++;
        }
        std::this_thread::sleep_for(milliseconds(2));
    }
}

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: server CATALOG [SECONDS]\n");
        return 64;
    }
    const int seconds = argc > 2 ? std::atoi(argv[2]) : 5;
    const auto number = clock_type::now().time_since_epoch().count();
    const auto folder = std::filesystem::temp_directory_path() / ("game-" + std::to_string(number));
    std::filesystem::create_directory(folder);

    auto store = sk::simulator::make("com.example.lanternvale", argv[1]).value();
    for (int player = 0; player < player_count; player++) store.add_account(name(player)).value();

    sk::pool_options options;
    options.vault = (folder / "players.sqlite").string();
    options.catalog_path = argv[1];
    options.simulator = &store;
    auto pool = sk::pool::open(options).value();
    auto queue = sk::queue::make().value();
    pool.subscribe(queue, 0).value();

    std::vector<sk::customer> players;
    for (int player = 0; player < player_count; player++) players.push_back(pool.open_customer(name(player)).value());

    std::atomic<bool> stop{false};
    std::atomic<int> sold{0}, refunded{0};
    std::thread app_store([&] { sell(store, stop, sold, refunded); });

    int gold = 0, spent = 0, refused = 0, failed = 0, events = 0, waiting = 0;
    long long coins = 0;
    std::vector<double> ticks;
    // Takes what the queue has, and waits for more until an instant.
    auto serve = [&](clock_type::time_point until) {
        pollfd ready{queue.descriptor(), POLLIN, 0};
        while (true) {
            auto left = std::chrono::duration_cast<milliseconds>(until - clock_type::now()).count();
            if (poll(&ready, 1, static_cast<int>(std::max<long long>(left, 0))) <= 0) return;
            while (auto item = queue.next().value()) {
                if (item->kind == sk::item::kind::event) {
                    events++;
                } else {
                    waiting--;
                    (item->status == SK_OK ? spent : item->status == SK_REFUSED ? refused : failed)++;
                }
            }
            if (clock_type::now() >= until) return;
        }
    };

    const auto start = clock_type::now();
    for (int tick = 1; tick <= seconds * 60; tick++) {
        const auto begun = clock_type::now();
        coins = gold = 0;
        for (const auto &player : players) {
            gold += player.has_feature("pro").value();
            coins += player.balance("coins").value();
        }
        ticks.push_back(duration<double, std::milli>(clock_type::now() - begun).count());
        for (int number = 0; number < 3; number++) {
            auto &player = players[static_cast<std::size_t>((tick * 31 + number * 337) % player_count)];
            auto key = "tick-" + std::to_string(tick) + "-" + std::to_string(number);
            player.begin_spend(30, "coins", key, queue, 1).value();
            waiting++;
        }
        serve(start + std::chrono::duration_cast<clock_type::duration>(duration<double>(tick / 60.0)));
    }
    stop = true;
    app_store.join();
    while (waiting > 0) serve(clock_type::now() + milliseconds(100));

    // A refund is known as soon as the histories are read again, whatever the stream has brought.
    for (auto &player : players) player.sync().value();
    auto audit = pool.audit().value();
    std::sort(ticks.begin(), ticks.end());
    std::printf("%d players, %zu ticks, %d purchases and %d refunds by the App Store meanwhile.\n", player_count,
                ticks.size(), sold.load(), refunded.load());
    std::printf("A tick asks %d questions and takes %.3f ms, at most %.3f ms; there are 16.667 ms for it.\n",
                2 * player_count, ticks[ticks.size() / 2], ticks.back());
    std::printf("%d players have gold, all together have %lld coins; %d events.\n", gold, coins, events);
    std::printf("%d spends, %d refused because there was not enough, %d failed.\n", spent, refused, failed);
    std::printf("The audit of the vault: %s\n", audit.error.status == SK_OK ? "no faults" : audit.json.c_str());
    players.clear();
    bool is_good = audit.error.status == SK_OK && failed == 0 && spent > 0 && refunded > 0 && gold > 0 && events > 0;
    is_good = pool.close().has_value() && is_good;
    std::filesystem::remove_all(folder);
    return is_good ? 0 : 1;
}
