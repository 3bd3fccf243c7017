// Checks a lease of the service offline, with OpenSSL 3.
//
// usage: lease LEASE KEYS BUNDLE-ID CUSTOMER
//
// LEASE is a file with the token, KEYS one with the answer of /.well-known/jwks.json. Prints the features, or ends with 1
// if the lease is not a valid one.
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>

#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <regex>
#include <string>

using text = std::string;

static text decoded(text base64) { // base64url without padding
    for (auto &letter : base64) letter = letter == '-' ? '+' : letter == '_' ? '/' : letter;
    const auto length = base64.size() * 3 / 4;
    base64.append((4 - base64.size() % 4) % 4, '=');
    text bytes(base64.size(), '\0');
    if (EVP_DecodeBlock(reinterpret_cast<unsigned char *>(bytes.data()),
                        reinterpret_cast<const unsigned char *>(base64.data()), static_cast<int>(base64.size())) < 0)
        return {};
    return bytes.substr(0, length);
}

// A member of a flat JSON object. A server has a JSON library for this.
static text member(const text &json, const text &name) {
    std::smatch found;
    std::regex pattern("\"" + name + "\"\\s*:\\s*(\"([^\"]*)\"|\\[([^\\]]*)\\]|[0-9]+)");
    if (!std::regex_search(json, found, pattern)) return {};
    return found[2].matched ? found[2].str() : found[3].matched ? found[3].str() : found[1].str();
}

// The features of a lease; nothing if it is not a valid lease of the customer.
static std::optional<text> features(const text &lease, const text &keys, const text &bundle_id, const text &customer) {
    const auto first = lease.find('.'), second = lease.rfind('.');
    if (first == lease.npos || first == second) return {};
    const auto header = decoded(lease.substr(0, first)), body = decoded(lease.substr(first + 1, second - first - 1));
    const auto signature = decoded(lease.substr(second + 1));
    if (member(header, "alg") != "ES256" || signature.size() != 64) return {};
    // The key that the header names.
    std::regex object("\\{[^{}]*\\}");
    text key;
    for (std::sregex_iterator each(keys.begin(), keys.end(), object), end; each != end; ++each)
        if (member(each->str(), "kid") == member(header, "kid")) key = each->str();
    auto point = "\x04" + decoded(member(key, "x")) + decoded(member(key, "y")), group = text("prime256v1");
    if (point.size() != 65) return {};
    OSSL_PARAM parts[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group.data(), 0),
                          OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
                          OSSL_PARAM_construct_end()};
    auto *maker = EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr);
    EVP_PKEY *public_key = nullptr;
    if (EVP_PKEY_fromdata_init(maker) != 1 || EVP_PKEY_fromdata(maker, &public_key, EVP_PKEY_PUBLIC_KEY, parts) != 1)
        return EVP_PKEY_CTX_free(maker), std::nullopt;
    // OpenSSL takes the two halves of the signature in DER.
    auto *raw = reinterpret_cast<const unsigned char *>(signature.data());
    auto *halves = ECDSA_SIG_new();
    ECDSA_SIG_set0(halves, BN_bin2bn(raw, 32, nullptr), BN_bin2bn(raw + 32, 32, nullptr));
    unsigned char *der = nullptr;
    const int length = i2d_ECDSA_SIG(halves, &der);
    auto *check = EVP_MD_CTX_new();
    const bool is_signed = length > 0 && EVP_DigestVerifyInit(check, nullptr, EVP_sha256(), nullptr, public_key) == 1 &&
                           EVP_DigestVerify(check, der, static_cast<std::size_t>(length),
                                            reinterpret_cast<const unsigned char *>(lease.data()), second) == 1;
    EVP_MD_CTX_free(check), OPENSSL_free(der), ECDSA_SIG_free(halves);
    EVP_PKEY_free(public_key), EVP_PKEY_CTX_free(maker);
    if (!is_signed || member(body, "iss") != bundle_id || member(body, "sub") != customer) return {};
    if (std::atoll(member(body, "exp").c_str()) <= std::time(nullptr)) return {};
    return member(body, "features");
}

static text contents(const char *path) {
    std::ifstream file(path);
    text all{std::istreambuf_iterator<char>(file), {}};
    return all.substr(0, all.find_last_not_of(" \n") + 1);
}

int main(int argc, char **argv) {
    if (argc != 5) return 64;
    auto found = features(contents(argv[1]), contents(argv[2]), argv[3], argv[4]);
    if (!found) return std::cerr << "the lease is not valid\n", 1;
    std::cout << *found << "\n";
}
