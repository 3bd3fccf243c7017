/* usage: first ROOT CATALOG EVIDENCE VAULT: what anna owns, what is left after she spends, and what has changed. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <storekeeper.h>

static void check(sk_status status) {
    if (status == SK_OK) return;
    fprintf(stderr, "%s: %s: %s\n", sk_status_name(status), sk_error_code(), sk_error_message());
    exit(1);
}

static size_t read_file(const char *path, char *bytes, size_t size) {
    FILE *file = fopen(path, "rb");
    if (!file) exit(2);
    size_t length = fread(bytes, 1, size, file);
    fclose(file);
    return length;
}

int main(int argc, char **argv) {
    static char root[10000], evidence[1000000];
    if (argc != 5) return 2;
    sk_verifier_options trust = {.size = sizeof trust, .root = root, .bundle_id = "com.example.lanternvale"};
    trust.root_length = read_file(argv[1], root, sizeof root);
    sk_pool_options options = {.size = sizeof options, .vault = argv[4], .catalog_path = argv[2]};
    sk_pool *pool;
    sk_customer *anna;
    sk_queue *queue;
    check(sk_verifier_new(&trust, &options.verifier));
    check(sk_pool_open(&options, &pool));
    check(sk_customer_open(pool, "anna", SK_NTS, &anna));
    check(sk_customer_ingest(anna, evidence, read_file(argv[3], evidence, sizeof evidence), true, NULL));

    bool ad_free;
    check(sk_has_feature(anna, "ad-free", SK_NTS, SK_NOW, &ad_free));
    sk_receipt receipt = {.size = sizeof receipt};
    for (int attempt = 0; attempt < 2; attempt++) /* The second one changes nothing: it has the same key. */
        check(sk_customer_spend(anna, "coins", SK_NTS, 30, "lantern-42", SK_NTS, &receipt));
    printf("ad-free: %s\ncoins: %lld\n", ad_free ? "yes" : "no", (long long)receipt.balance);

    struct pollfd ready = {.events = POLLIN};
    check(sk_queue_new(&queue));
    check(sk_queue_fd(queue, &ready.fd));
    check(sk_pool_subscribe(pool, queue, 1, 0));
    for (sk_item item = {.size = sizeof item}; poll(&ready, 1, 500) > 0;)
        while (sk_queue_next(queue, &item) == SK_OK) printf("%s\n", item.json.bytes), sk_text_free(item.json.bytes);
    sk_queue_free(queue);
    sk_customer_free(anna);
    check(sk_pool_close(pool));
    sk_verifier_free(options.verifier);
}
