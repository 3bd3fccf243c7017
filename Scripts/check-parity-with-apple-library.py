#!/usr/bin/env python3
"""Compares Storekeeper with Apple's library: calls, models with their members, words, numbers and error codes.

usage: check-parity-with-apple-library.py [ANYTHING…]

Reads the installed Python library by introspection, and the sources of the repository. For each model and enumeration a
table names the source files in which its members must appear as literals; a model that is not in the table is a finding,
too, so that a new version of the library fails until its additions are implemented. The arguments are ignored. Prints
what was compared; exits with 1 and a line for each finding.
"""

import enum
import importlib
import inspect
import pathlib
import pkgutil
import re
import sys

import attr
from appstoreserverlibrary import api_client, models

ROOT = pathlib.Path(__file__).resolve().parent.parent / "Sources"

WIRE = "StorekeeperAppStore/Wire/"
ENGINE = "StorekeeperEngine/Evidence/"
VALUES = "StorekeeperEngine/Vocabulary/OpenValues.swift"
RECEIVING = "StorekeeperAppStore/Receiving/"
COMMERCE = ENGINE + "AdvancedCommerce.swift"
COMMERCE_REQUESTS = WIRE + "AdvancedCommerceRequests.swift"
COMMERCE_CALLS = WIRE + "Requests+AdvancedCommerce.swift"
MESSAGES = WIRE + "MessagingValues.swift"
MESSAGE_ANSWERS = WIRE + "MessagingAnswers.swift"
MESSAGE_CALLS = WIRE + "Requests+Messaging.swift"
NOTIFICATION = [ENGINE + "ServerNotification.swift", RECEIVING + "NotificationContent+Reading.swift"]

# The source files that read or write each model, by the model's name; the most specific pattern first.
FILES = [
    ("AdvancedCommerceInfo", [MESSAGES]),
    ("AdvancedCommerceOneTimeCharge.*|AdvancedCommerceSubscription(Create|Modify|Reactivate).*", [COMMERCE_REQUESTS]),
    ("AbstractAdvancedCommerce(BaseItem|InAppRequest|Item)", [COMMERCE_REQUESTS]),
    ("AdvancedCommerce(Descriptors|Offer)", [COMMERCE, COMMERCE_REQUESTS]),
    ("AdvancedCommerce(Effective|Reason)", [COMMERCE_REQUESTS]),
    ("AdvancedCommerceRe(quest|questInfo)", [COMMERCE_REQUESTS]),
    ("AdvancedCommerce(RequestRefund|Subscription(Cancel|ChangeMetadata|Migrate|PriceChange|Revoke)).*Response",
     [COMMERCE_CALLS]),
    ("AbstractAdvancedCommerceResponse", [COMMERCE_CALLS]),
    ("AdvancedCommerce(RequestRefund|Subscription(Cancel|ChangeMetadata|Migrate|PriceChange|Revoke)).*",
     [COMMERCE_CALLS, COMMERCE_REQUESTS]),
    ("AdvancedCommerce.*", [COMMERCE]),
    ("AppData|Data|ResponseBodyV2DecodedPayload|Summary|ExternalPurchaseToken",
     NOTIFICATION + [RECEIVING + "NotificationContent+AppData.swift"]),
    ("ResponseBodyV2", [RECEIVING + "NotificationBody.swift"]),
    ("AppTransaction", [ENGINE + "AppTransaction.swift"]),
    ("JWSTransactionDecodedPayload|TransactionCommitmentInfo", [ENGINE + "Transaction.swift", COMMERCE]),
    ("JWSRenewalInfoDecodedPayload|RenewalCommitmentInfo", [ENGINE + "RenewalInfo.swift", ENGINE + "Transaction.swift",
                                                            COMMERCE]),
    ("ConsumptionRequest|ConsumptionRequestV1",
     [WIRE + "ConsumptionRequest.swift", WIRE + "ConsumptionRequest+Rules.swift"]),
    ("DeliveryStatus|RefundPreference", [WIRE + "ConsumptionRequest.swift"]),
    ("ConsumptionRequestReason", ["StorekeeperSimulator/Commands/SimulatorCommand.swift"]),
    ("TransactionHistoryRequest|ProductType|Order", [WIRE + "HistoryFilter.swift"]),
    ("NotificationHistoryRequest", [WIRE + "Requests+Notifications.swift"]),
    ("(SendTestNotification|CheckTestNotification|NotificationHistory).*", [WIRE + "NotificationAnswers.swift"]),
    ("SendAttemptItem", [WIRE + "NotificationAnswers.swift"]),
    ("ExtendRenewalDateRequest|MassExtendRenewalDateRequest", [WIRE + "Requests+Subscriptions.swift"]),
    (".*ExtendRenewalDate.*Response", [WIRE + "ExtensionAnswers.swift"]),
    ("StatusResponse|SubscriptionGroupIdentifierItem|LastTransactionsItem", [WIRE + "StatusAnswer.swift"]),
    ("(History|RefundHistory|OrderLookup)Response", [WIRE + "HistoryAnswers.swift"]),
    ("TransactionInfoResponse|AppTransactionInfoResponse|UpdateAppAccountTokenRequest",
     [WIRE + "Requests+Transactions.swift"]),
    ("AlternateProduct|Message|PromotionalOffer|PromotionalOfferSignatureV1|RealtimeResponseBody", [MESSAGES]),
    ("UploadMessage.*|BulletPoint|ImageSize|ImageState|MessageState|HeaderPosition|PerformanceTestStatus", [MESSAGES]),
    ("GetImageList.*|GetMessageList.*|PerformanceTest(Config|Response|ResponseTimes|ResultResponse)",
     [MESSAGE_ANSWERS]),
    ("DefaultConfiguration.*|RealtimeUrl.*|PerformanceTestRequest", [MESSAGE_CALLS]),
    ("RealtimeRequestBody|DecodedRealtimeRequestBody", ["StorekeeperJWS/RealtimeRequest.swift"]),
    ("Subtype|NotificationTypeV2", [RECEIVING + "NotificationType.swift"]),
    ("Environment|Type", ["StorekeeperEngine/Vocabulary/AppStore.swift", "StorekeeperEngine/Catalog/Product.swift",
                          VALUES]),
    ("SendAttemptResult|FirstSendAttemptResult|ExtendReasonCode|OrderLookupStatus|Status", [WIRE + "AnswerValues.swift"]),
    ("InAppOwnershipType|RevocationReason|RevocationType|TransactionReason|OfferType|OfferDiscountType|BillingPlanType|"
     "RenewalBillingPlanType|AutoRenewStatus|ExpirationIntent|PriceIncreaseStatus", [VALUES]),
]

# Enumerations whose words a text keeps as they are: nothing depends on them.
TEXTS = {"PurchasePlatform"}

# Members of Apple's requests that have other names on the wire.
ALIASES = {
    "productIds": "productId", "productTypes": "productType",
    "subscriptionGroupIdentifiers": "subscriptionGroupIdentifier",
}

# Numbers of the deprecated consumption request, which takes them as they are: the highest of each.
NUMBERS_OF_V1 = {
    "AccountTenure": 7, "ConsumptionStatus": 3, "DeliveryStatusV1": 5, "LifetimeDollarsPurchased": 7,
    "LifetimeDollarsRefunded": 7, "Platform": 2, "PlayTime": 7, "RefundPreferenceV1": 3, "UserStatus": 4,
}

# Each call of Apple's client and the endpoint of ours; the methods' names differ, because ours follow Swift's rules.
CALLS = {
    "extend_renewal_date_for_all_active_subscribers": "massExtend", "extend_subscription_renewal_date": "extend",
    "get_all_subscription_statuses": "statuses", "get_refund_history": "refundHistory",
    "get_status_of_subscription_renewal_date_extensions": "massExtendStatus",
    "get_test_notification_status": "testNotificationStatus", "get_notification_history": "notificationHistory",
    "get_transaction_history": "history", "get_transaction_info": "transactionInfo", "look_up_order_id": "orderLookup",
    "request_test_notification": "requestTestNotification", "send_consumption_data": "consumptionV1",
    "send_consumption_information": "consumption", "set_app_account_token": "setAppAccountToken",
    "get_app_transaction_info": "appTransactionInfo", "finish_transaction": "finish",
    "upload_image": "uploadImage", "delete_image": "deleteImage", "get_image_list": "images",
    "upload_message": "uploadMessage", "delete_message": "deleteMessage", "get_message_list": "messages",
    "configure_default_message": "configureDefaultMessage", "delete_default_message": "deleteDefaultMessage",
    "get_default_message": "defaultMessage", "configure_realtime_url": "configureRealtimeURL",
    "delete_realtime_url": "deleteRealtimeURL", "get_realtime_url": "realtimeURL",
    "initiate_performance_test": "initiatePerformanceTest", "get_performance_test_results": "performanceTestResult",
}

# What is known to be missing, as a pattern; `None` if nothing is.
GAPS = None

findings = []
compared = 0


def expect(condition, what):
    global compared
    compared += 1
    if not condition and not (GAPS and GAPS.match(what)):
        findings.append(what)


def text_of(files):
    return "\n".join((ROOT / name).read_text(encoding="utf-8") for name in files if (ROOT / name).exists())


def has_text(source, word):
    return f'"{word}"' in source or re.search(rf"case [^\n]*\b{word}\b", source) is not None


def has_number(source, number):
    return re.search(rf"(rawValue: |= |= \.?\w* ?)({number:_d}|{number})\b", source) is not None


def files_of(name):
    for pattern, files in FILES:
        if re.fullmatch(pattern, name):
            return files
    return None


def members(model):
    """Returns the names on the wire of a model's members."""
    return [ALIASES.get(field.name, field.name) for field in attr.fields(model) if not re.match(r"raw[A-Z]", field.name)]


def types_of_the_library():
    for module in pkgutil.iter_modules(models.__path__):
        namespace = importlib.import_module(f"{models.__name__}.{module.name}")
        for name, value in inspect.getmembers(namespace, inspect.isclass):
            if value.__module__ == namespace.__name__ and (attr.has(value) or issubclass(value, enum.Enum)):
                yield name, value


def main():
    for name, value in types_of_the_library():
        if name in TEXTS:
            continue
        if name in NUMBERS_OF_V1:
            expect(max(item.value for item in value) == NUMBERS_OF_V1[name], f"{name} has other numbers")
            continue
        files = files_of(name)
        expect(files is not None, f"{name} is in no file")
        if files is None:
            continue
        source = text_of(files)
        if attr.has(value):
            for member in members(value):
                expect(has_text(source, member), f"{name}.{member}")
        else:
            for item in value:
                found = has_number if isinstance(item.value, int) else has_text
                expect(found(source, item.value), f"{name}.{item.name} = {item.value!r}")

    client = text_of([WIRE + "AppStoreErrorCode+Names.swift"])
    local = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "StorekeeperLocalStore").rglob("*.swift"))
    for item in api_client.APIError:
        expect(has_number(client, item.value), f"the client lacks the error {item.name} = {item.value}")
        expect(f"{item.value:_d}" in local or item.name in UNUSED_ERRORS,
               f"the local App Store lacks the error {item.name} = {item.value}")

    endpoints = text_of([WIRE + "AppStoreServerEndpoint.swift"])
    calls = [
        name for name, _ in inspect.getmembers(api_client.AppStoreServerAPIClient, inspect.isfunction)
        if not name.startswith("_")]
    for name in calls:
        expect(name in CALLS, f"the call {name} is unknown")
        expect(re.search(rf"case {CALLS.get(name)}\b", endpoints) is not None, f"the call {name} is missing")

    for finding in findings:
        print(finding)
    print(f"{len(calls)} calls, {compared} looks, {len(findings)} findings")
    return 1 if findings else 0


# Errors that no state of a local App Store has as a consequence; the step `fault` sends them.
UNUSED_ERRORS = {
    "ACCOUNT_NOT_FOUND", "APP_NOT_FOUND", "APP_NOT_FOUND_RETRYABLE", "INVALID_APP_IDENTIFIER",
    "INVALID_TRANSACTION_NOT_CONSUMABLE", "PAGINATION_TOKEN_EXPIRED",
}

if __name__ == "__main__":
    sys.exit(main())
