#!/usr/bin/env python3
"""Tests a local App Store with Apple's server client and verifier: all their calls, including errors.

usage: exercise-with-apple-client.py STOREKEEPER CATALOG

STOREKEEPER is the command, CATALOG a .storekit file with the products of Configuration/Store.storekit. Starts
`storekeeper local-app-store` on a free port of this machine, and a server of its own for notifications; stops
both at the end. Everything that comes back signed goes through Apple's verifier. Prints how many calls were looked at;
exits with 1 and a line for each finding where something is not as Apple's documents say.
"""

import asyncio
import datetime
import http.server
import inspect
import json
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid

import attr
import jwt
from appstoreserverlibrary import api_client
from appstoreserverlibrary.api_client import APIError, APIException, GetTransactionHistoryVersion
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from cryptography.hazmat.primitives.asymmetric import ec

BUNDLE = "com.example.game"
DAY = 86_400_000

# A local App Store does not support retention messaging: each of these calls must be refused with a clear error.
LEFT_OUT = {
    "configure_default_message", "configure_realtime_url", "delete_default_message", "delete_image", "delete_message",
    "delete_realtime_url", "get_default_message", "get_image_list", "get_message_list", "get_performance_test_results",
    "get_realtime_url", "initiate_performance_test", "upload_image", "upload_message",
}

findings = []
called = set()
looked = 0


def expect(condition, what):
    global looked
    looked += 1
    if not condition:
        findings.append(what)


def equal(found, wanted, what):
    expect(found == wanted, f"{what}: found {found!r}, wanted {wanted!r}")


class Recorder:
    """Apple's client, recording its calls."""

    def __init__(self, client):
        self.client = client

    def __getattr__(self, name):
        called.add(name)
        return getattr(self.client, name)


class Webhook:
    """The app's server: records posted notifications, and answers with a status that a test sets."""

    def __init__(self):
        self.status = 200
        self.received = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.received.append((self.headers["Content-Type"], json.loads(body)))
                self.send_response(outer.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/apple"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Store:
    """The local App Store, and the events that a test causes."""

    def __init__(self, command, catalog, folder, webhook):
        self.key = folder / "key.p8"
        self.process = subprocess.Popen(
            [command, "local-app-store", catalog, "--port", "0", "--format", "json",
             "--new-api-key", self.key, "--key-id", "KEY1", "--issuer-id", "issuer-1",
             "--root-out", folder / "root.pem", "--webhook", webhook.url, "--webhook-retries"],
            stdout=subprocess.PIPE, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]
        self.root = (folder / "root.pem").read_bytes()

    def steps(self, *steps):
        """Executes a step; returns the ids of the resulting transactions, or None."""
        request = urllib.request.Request(
            self.url + "/local/v1/steps", json.dumps({"steps": steps}).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return [outcome.get("transactionID") for outcome in json.load(response)["outcomes"]]

    def get(self, path):
        with urllib.request.urlopen(self.url + "/local/v1" + path) as response:
            return json.load(response)

    def status(self, path, token=None, method="GET", body=None):
        """Returns the HTTP status, content type and body of a request."""
        headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
        request = urllib.request.Request(self.url + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request) as response:
                return response.status, response.headers["Content-Type"], response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers["Content-Type"], error.read()


def refused(call, error, status, what):
    try:
        call()
    except APIException as exception:
        equal((exception.http_status_code, exception.api_error), (status, error), what)
    else:
        expect(False, f"{what}: nothing was refused")


def transactions(client, verifier, store):
    coins, gold = store.steps("buy coins.100 by customer quantity 3", "buy gold.monthly by customer")
    info = client.get_transaction_info(coins)
    decoded = verifier.verify_and_decode_signed_transaction(info.signedTransactionInfo)
    equal((decoded.transactionId, decoded.productId, decoded.quantity), (coins, "coins.100", 3), "transaction info")
    again = verifier.verify_and_decode_signed_transaction(client.get_transaction_info(coins).signedTransactionInfo)
    expect(again.signedDate >= decoded.signedDate, "a transaction is signed anew")
    refused(lambda: client.get_transaction_info("nonsense"), APIError.INVALID_TRANSACTION_ID, 400, "malformed id")
    refused(
        lambda: client.get_transaction_info("2000000999999999"), APIError.TRANSACTION_ID_NOT_FOUND, 404, "unknown id")
    app = verifier.verify_and_decode_app_transaction(client.get_app_transaction_info(gold).signedAppTransactionInfo)
    equal(app.bundleId, BUNDLE, "app transaction")
    refused(
        lambda: client.get_transaction_info(app.appTransactionId), APIError.APP_TRANSACTION_ID_NOT_SUPPORTED_ERROR, 400,
        "a transaction by the id of an app transaction")
    refused(
        lambda: client.get_app_transaction_info("2000000999999999"), APIError.TRANSACTION_ID_NOT_FOUND, 404,
        "app transaction of an unknown id")
    equal(len(client.get_all_subscription_statuses(app.appTransactionId).data), 1, "statuses by app transaction")
    client.finish_transaction(coins)
    client.finish_transaction(coins)
    refused(lambda: client.finish_transaction("12"), APIError.TRANSACTION_ID_NOT_FOUND, 404, "finish an unknown id")
    return coins, gold


def history(client, verifier, store):
    store.steps("new person hilda")
    bought = store.steps(*["buy coins.100 by hilda"] * 45)
    page = client.get_transaction_history(
        bought[0], None, TransactionHistoryRequest(sort=Order.ASCENDING), GetTransactionHistoryVersion.V2)
    pages = [page]
    while page.hasMore:
        page = client.get_transaction_history(
            bought[7], page.revision, TransactionHistoryRequest(sort=Order.ASCENDING), GetTransactionHistoryVersion.V2)
        pages.append(page)
    equal([len(page.signedTransactions) for page in pages], [20, 20, 5], "pages of a history")

    def ids(page):
        return [verifier.verify_and_decode_signed_transaction(text).transactionId for text in page.signedTransactions]

    equal([id for page in pages for id in ids(page)], bought, "a history in the order of purchases")
    last = pages[-1]
    equal(
        (last.bundleId, last.environment, last.appAppleId, bool(last.revision)),
        (BUNDLE, Environment.SANDBOX, None, True), "what a page says")
    store.steps(f"refund transaction {bought[3]}")
    changed = client.get_transaction_history(
        bought[0], last.revision, TransactionHistoryRequest(sort=Order.ASCENDING), GetTransactionHistoryVersion.V2)
    equal((ids(changed), changed.hasMore), ([bought[3]], False), "what has changed since the last page")

    def request(**parts):
        return client.get_transaction_history(
            bought[0], None, TransactionHistoryRequest(**parts), GetTransactionHistoryVersion.V2)

    equal(ids(request(sort=Order.DESCENDING))[0], bought[3], "what changed last, first")
    equal(ids(request(revoked=True)), [bought[3]], "what was revoked")
    expect(bought[3] not in ids(request(revoked=False)), "what was not revoked")
    equal(len(ids(request(productIds=["coins.500"]))), 0, "another product")
    equal(len(ids(request(productTypes=[ProductType.CONSUMABLE, ProductType.AUTO_RENEWABLE]))), 20, "of some types")
    equal(len(ids(request(inAppOwnershipType=InAppOwnershipType.FAMILY_SHARED))), 0, "family's copies")
    equal(len(ids(request(subscriptionGroupIdentifiers=["21000001"]))), 0, "of a group")
    equal(len(ids(request(startDate=1, endDate=2))), 0, "of long ago")
    for parts, error, what in [
        ({"startDate": 5, "endDate": 5}, APIError.START_DATE_AFTER_END_DATE, "dates in the wrong order"),
        ({"productIds": [""]}, APIError.INVALID_PRODUCT_ID, "an empty product id"),
    ]:
        refused(lambda: request(**parts), error, 400, what)
    refused(
        lambda: client.get_transaction_history(
            bought[0], last.revision, TransactionHistoryRequest(sort=Order.DESCENDING),
            GetTransactionHistoryVersion.V2),
        APIError.INVALID_REQUEST_REVISION, 400, "a revision with another question")
    refused(
        lambda: client.get_transaction_history(
            bought[0], "nonsense", TransactionHistoryRequest(), GetTransactionHistoryVersion.V2),
        APIError.INVALID_REQUEST_REVISION, 400, "a revision that is none")
    client.finish_transaction(bought[0])
    first = client.get_transaction_history(
        bought[0], None, TransactionHistoryRequest(), GetTransactionHistoryVersion.V1)
    equal(ids(first)[0], bought[1], "the first version leaves finished consumables out")
    refunds = client.get_refund_history(bought[0], None)
    equal((len(refunds.signedTransactions), refunds.hasMore), (1, False), "refunds")
    equal(client.get_refund_history(bought[0], refunds.revision).signedTransactions, [], "later refunds")
    refused(lambda: client.get_refund_history("1", None), APIError.TRANSACTION_ID_NOT_FOUND, 404, "unknown refunds")
    return bought


def orders(client, verifier, store):
    order = store.get("/transactions?person=hilda")["transactions"][1]
    found = client.look_up_order_id(order["orderID"])
    equal(found.status, OrderLookupStatus.VALID, "an order")
    equal(
        [verifier.verify_and_decode_signed_transaction(text).transactionId for text in found.signedTransactions],
        [order["id"]], "the transactions of an order")
    equal(client.look_up_order_id("MK5TTTVWJH").status, OrderLookupStatus.INVALID, "an order that there is not")


def subscriptions(client, verifier, store, gold):
    store.steps("advance 40 days")
    response = client.get_all_subscription_statuses(gold)
    equal((response.bundleId, response.environment), (BUNDLE, Environment.SANDBOX), "what statuses say")
    [item] = response.data[0].lastTransactions
    equal((item.status, item.originalTransactionId), (Status.ACTIVE, gold), "a status")
    renewal = verifier.verify_and_decode_renewal_info(item.signedRenewalInfo)
    equal(renewal.originalTransactionId, gold, "a renewal info")
    equal(client.get_all_subscription_statuses(gold, [Status.EXPIRED]).data, [], "other statuses")
    request = ExtendRenewalDateRequest(
        extendByDays=7, extendReasonCode=ExtendReasonCode.CUSTOMER_SATISFACTION, requestIdentifier=str(uuid.uuid4()))
    before = verifier.verify_and_decode_signed_transaction(item.signedTransactionInfo).expiresDate
    extended = client.extend_subscription_renewal_date(gold, request)
    equal(
        (extended.success, extended.effectiveDate, extended.originalTransactionId), (True, before + 7 * DAY, gold),
        "an extension")
    client.extend_subscription_renewal_date(gold, request)
    refused(
        lambda: client.extend_subscription_renewal_date(gold, request), APIError.SUBSCRIPTION_MAX_EXTENSION, 403,
        "a third extension")
    request.extendByDays = 91
    refused(
        lambda: client.extend_subscription_renewal_date(gold, request), APIError.INVALID_EXTEND_BY_DAYS, 400,
        "91 days")
    request.extendByDays = 1
    refused(
        lambda: client.extend_subscription_renewal_date("77", request), APIError.ORIGINAL_TRANSACTION_ID_NOT_FOUND,
        404, "an unknown subscription")
    refused(
        lambda: client.extend_subscription_renewal_date("x", request), APIError.INVALID_ORIGINAL_TRANSACTION_ID, 400,
        "no id")
    store.steps("new person sven", "buy silver.yearly by sven")
    mass = MassExtendRenewalDateRequest(
        extendByDays=3, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE,
        requestIdentifier=str(uuid.uuid4()).upper(), productId="silver.yearly", storefrontCountryCodes=["USA"])
    equal(
        client.extend_renewal_date_for_all_active_subscribers(mass).requestIdentifier, mass.requestIdentifier,
        "an extension for all")
    client.extend_renewal_date_for_all_active_subscribers(mass)
    status = client.get_status_of_subscription_renewal_date_extensions(mass.requestIdentifier, "silver.yearly")
    equal((status.complete, status.succeededCount, status.failedCount), (True, 1, 0), "what came of it, once")
    refused(
        lambda: client.get_status_of_subscription_renewal_date_extensions(mass.requestIdentifier, "gold.monthly"),
        APIError.STATUS_REQUEST_NOT_FOUND, 404, "an extension that nobody asked for")
    mass.productId = "coins.100"
    refused(
        lambda: client.extend_renewal_date_for_all_active_subscribers(mass), APIError.INVALID_PRODUCT_ID, 400,
        "coins cannot be extended")


def account_tokens(client, verifier, store, gold, coins):
    token = str(uuid.uuid4())
    client.set_app_account_token(gold, UpdateAppAccountTokenRequest(appAccountToken=token.upper()))
    [item] = client.get_all_subscription_statuses(gold).data[0].lastTransactions
    current = verifier.verify_and_decode_signed_transaction(item.signedTransactionInfo)
    equal(current.appAccountToken, token, "the account token of the running period")
    first = verifier.verify_and_decode_signed_transaction(client.get_transaction_info(gold).signedTransactionInfo)
    equal(first.appAccountToken, None, "the account token of a past period")
    client.set_app_account_token(coins, UpdateAppAccountTokenRequest(appAccountToken=token))
    info = verifier.verify_and_decode_signed_transaction(client.get_transaction_info(coins).signedTransactionInfo)
    equal(info.appAccountToken, token, "the account token of coins")
    refused(
        lambda: client.set_app_account_token(gold, UpdateAppAccountTokenRequest(appAccountToken="me")),
        APIError.INVALID_APP_ACCOUNT_TOKEN_UUID_ERROR, 400, "a token that is no UUID")
    refused(
        lambda: client.set_app_account_token("55", UpdateAppAccountTokenRequest(appAccountToken=token)),
        APIError.ORIGINAL_TRANSACTION_ID_NOT_FOUND, 404, "a token for an unknown purchase")
    store.steps("advance 50 days")
    [item] = client.get_all_subscription_statuses(gold).data[0].lastTransactions
    newest = verifier.verify_and_decode_signed_transaction(item.signedTransactionInfo)
    expect(newest.transactionId != gold and newest.appAccountToken == token, "a renewal carries the token")
    refused(
        lambda: client.set_app_account_token(
            newest.transactionId, UpdateAppAccountTokenRequest(appAccountToken=token)),
        APIError.TRANSACTION_ID_IS_NOT_ORIGINAL_TRANSACTION_ID_ERROR, 400, "a token for a renewal")


def consumption(client, store, coins, gold):
    def data(**parts):
        return ConsumptionRequest(
            **{"customerConsented": True, "sampleContentProvided": False,
               "deliveryStatus": DeliveryStatus.DELIVERED, **parts})

    client.send_consumption_information(
        coins, data(consumptionPercentage=50_000, refundPreference=RefundPreference.GRANT_PRORATED))
    expect(
        any(h["what"] == "consumptionInformed" and h["note"] == "DELIVERED, GRANT_PRORATED"
            for h in store.get("/happenings")["happenings"]), "what was consumed is noted")
    for parts, error, what in [
        ({"customerConsented": False}, APIError.INVALID_CUSTOMER_CONSENTED, "no consent"),
        ({"consumptionPercentage": 100_001}, APIError.GENERAL_BAD_REQUEST, "more than all"),
        ({"deliveryStatus": DeliveryStatus.UNDELIVERED_OTHER, "consumptionPercentage": 5},
         APIError.GENERAL_BAD_REQUEST, "used, but not delivered"),
        ({"refundPreference": RefundPreference.GRANT_PRORATED}, APIError.GENERAL_BAD_REQUEST, "a share of nothing said"),
    ]:
        refused(lambda: client.send_consumption_information(coins, data(**parts)), error, 400, what)
    refused(
        lambda: client.send_consumption_information("9", data()), APIError.TRANSACTION_ID_NOT_FOUND, 404,
        "consumption of an unknown id")
    try:
        client.send_consumption_information(gold, data(consumptionPercentage=5))
        expect(False, "a share of a subscription was taken")
    except APIException as exception:
        equal(exception.raw_api_error, 4000209, "a share of a subscription")

    def first(**parts):
        numbers = {name: 0 for name in [
            "accountTenure", "consumptionStatus", "lifetimeDollarsPurchased", "lifetimeDollarsRefunded", "platform",
            "playTime", "userStatus"]}
        numbers.update(parts)
        return ConsumptionRequestV1(
            customerConsented=True, sampleContentProvided=False, appAccountToken="",
            deliveryStatus=DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY,
            **{"raw" + name[0].upper() + name[1:]: value for name, value in numbers.items()})

    client.send_consumption_data(coins, first())
    refused(
        lambda: client.send_consumption_data(coins, first(playTime=8)), APIError.INVALID_PLAY_TIME, 400, "play time 8")


def notifications(client, verifier, store, webhook, hilda):
    received = len(webhook.received)
    token = client.request_test_notification().testNotificationToken
    for _ in range(100):
        if len(webhook.received) > received:
            break
        time.sleep(0.05)
    kind, body = webhook.received[-1]
    equal(kind, "application/json", "the type of a notification")
    test = verifier.verify_and_decode_notification(body["signedPayload"])
    equal((test.notificationType, test.data.bundleId), (NotificationTypeV2.TEST, BUNDLE), "a test notification")
    status = client.get_test_notification_status(token)
    equal(
        [attempt.sendAttemptResult for attempt in status.sendAttempts], [SendAttemptResult.SUCCESS], "its attempts")
    equal(
        verifier.verify_and_decode_notification(status.signedPayload).notificationUUID, test.notificationUUID,
        "its payload")
    refused(
        lambda: client.get_test_notification_status("x"), APIError.INVALID_TEST_NOTIFICATION_TOKEN, 400, "no token")
    refused(
        lambda: client.get_test_notification_status("6f1f7a52-3c1e-4d0b-9a53-0c6d1b7e4a10_1767225600000"),
        APIError.TEST_NOTIFICATION_NOT_FOUND, 404, "a token of nothing")

    webhook.status = 500
    [failed] = store.steps("buy coins.500 by customer")
    webhook.status = 200
    store.steps("advance 59 minutes")
    now = datetime.datetime.fromisoformat(store.get("")["now"].replace("Z", "+00:00"))
    end = int(now.timestamp() * 1000) + DAY

    def request(**parts):
        return NotificationHistoryRequest(**{"startDate": end - 29 * DAY, "endDate": end, **parts})

    failures = client.get_notification_history(None, request(onlyFailures=True)).notificationHistory
    equal(len(failures), 1, "what failed")
    store.steps("advance 2 minutes")
    equal(client.get_notification_history(None, request(onlyFailures=True)).notificationHistory, [], "sent again")
    [charge] = [
        item for item in client.get_notification_history(
            None, request(notificationType=NotificationTypeV2.ONE_TIME_CHARGE)).notificationHistory
        if verifier.verify_and_decode_signed_transaction(
            verifier.verify_and_decode_notification(item.signedPayload).data.signedTransactionInfo
        ).transactionId == failed]
    equal(
        [attempt.sendAttemptResult for attempt in charge.sendAttempts],
        [SendAttemptResult.UNSUCCESSFUL_HTTP_RESPONSE_CODE, SendAttemptResult.SUCCESS], "both attempts")
    equal(charge.sendAttempts[1].attemptDate - charge.sendAttempts[0].attemptDate, 3_600_000, "an hour apart")

    store.steps(*["buy coins.100 by hilda"] * 25)
    first = client.get_notification_history(None, request(transactionId=hilda[0]))
    equal((len(first.notificationHistory), first.hasMore), (20, True), "a page of notifications")
    second = client.get_notification_history(first.paginationToken, request(transactionId=hilda[0]))
    equal((len(second.notificationHistory), second.hasMore), (5, False), "the next page")
    for parts, error, what in [
        ({"startDate": end}, APIError.START_DATE_AFTER_END_DATE, "an empty span"),
        ({"startDate": end - 40 * DAY}, APIError.START_DATE_TOO_FAR_IN_PAST, "longer ago than is kept"),
        ({"transactionId": hilda[0], "notificationType": NotificationTypeV2.TEST},
         APIError.MULTIPLE_FILTERS_SUPPLIED, "two filters"),
        ({"transactionId": "abc"}, APIError.INVALID_TRANSACTION_ID, "no id"),
    ]:
        refused(lambda: client.get_notification_history(None, request(**parts)), error, 400, what)
    refused(
        lambda: client.get_notification_history("x", request()), APIError.INVALID_PAGINATION_TOKEN, 400, "no token")


def left_out(client):
    id, locale = uuid.uuid4(), "en-US"
    arguments = {
        "configure_default_message": ("p", locale, DefaultConfigurationRequest(messageIdentifier=id)),
        "delete_default_message": ("p", locale), "get_default_message": ("p", locale), "delete_image": (id,),
        "delete_message": (id,), "upload_image": (id, b"png"), "get_performance_test_results": ("r",),
    }
    for name in sorted(LEFT_OUT):
        call = getattr(client, name)
        given = arguments.get(name)
        if given is None:
            models = [p.annotation for p in inspect.signature(call).parameters.values()]
            given = tuple(id if model is uuid.UUID else blank(model) for model in models)
        try:
            call(*given)
            expect(False, f"{name} was answered")
        except APIException as exception:
            equal((exception.http_status_code, exception.raw_api_error), (404, 4040000), name)


def blank(model):
    """Returns an empty document of a model: the path is refused before the document is read."""
    return model(**{
        field.name: "x" for field in attr.fields(model)
        if field.default is attr.NOTHING and not field.name.startswith("raw")})


def tokens(store, key):
    path = "/inApps/v1/notifications/test/x"
    now = int(time.time())
    good = {"iss": "issuer-1", "exp": now + 300, "aud": "appstoreconnect-v1", "bid": BUNDLE}

    def token(header=None, signed_by=None, algorithm="ES256", **parts):
        claims = {name: value for name, value in {**good, **parts}.items() if value is not None}
        return jwt.encode(claims, signed_by or key, algorithm, headers={"kid": "KEY1", **(header or {})})

    for given, wanted, what in [
        (token(), 400, "a good token"), (token(iat=now), 400, "one with iat"),
        (token(iat=now + 0.25, exp=now + 300.5), 400, "fractions"), (token(aud=["appstoreconnect-v1"]), 400, "a list"),
        (None, 401, "no token"), ("", 401, "an empty token"), ("nonsense", 401, "nonsense"),
        ("a.b.c", 401, "three segments of nonsense"), (token(exp=now - 120), 401, "an expired token"),
        (token(exp=None), 401, "no end"), (token(exp=now + 4000), 401, "more than an hour"),
        (token(iat=now - 1800, exp=now + 2000), 401, "more than an hour since iat"),
        (token(iat=now + 600, exp=now + 900), 401, "from the future"), (token(aud="other"), 401, "another audience"),
        (token(bid="com.example.other"), 401, "another app"), (token(bid=None), 401, "no app"),
        (token(iss="issuer-2"), 401, "another issuer"), (token({"kid": "KEY2"}), 401, "another key's id"),
        (token(signed_by=ec.generate_private_key(ec.SECP256R1())), 401, "another key"),
        (token(signed_by=ec.generate_private_key(ec.SECP384R1()), algorithm="ES384"), 401, "another algorithm"),
        (token(signed_by="secret" * 8, algorithm="HS256"), 401, "a shared secret"),
        (jwt.encode(good, None, "none", headers={"kid": "KEY1"}), 401, "no signature"),
    ]:
        status, kind, body = store.status(path, given)
        equal(status, wanted, f"bearer: {what}")
        if wanted == 401:
            expect(not kind.startswith("application/json") and b"Unauthenticated" in body, f"bearer: {what}: {body!r}")
    status, kind, body = store.status("/inApps/v1/transactions/x", token())
    equal((status, kind, sorted(json.loads(body))), (400, "application/json", ["errorCode", "errorMessage"]), "errors")


async def asynchronous(key, store, gold):
    client = api_client.AsyncAppStoreServerAPIClient(key, "KEY1", "issuer-1", BUNDLE, Environment.SANDBOX)
    client._base_url = store.url
    answers = await asyncio.gather(*[client.get_transaction_info(gold) for _ in range(64)])
    equal(len({answer.signedTransactionInfo.split(".")[1] for answer in answers}), 1, "64 at once")
    await client.async_close()


def main(command, catalog):
    webhook = Webhook()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        store = Store(command, catalog, folder, webhook)
        try:
            key = store.key.read_bytes()
            equal(oct(store.key.stat().st_mode & 0o777), "0o600", "the key is its owner's alone")
            client = api_client.AppStoreServerAPIClient(key, "KEY1", "issuer-1", BUNDLE, Environment.SANDBOX)
            client._base_url = store.url
            client = Recorder(client)
            root = ssl.PEM_cert_to_DER_cert(store.root.decode())
            verifier = SignedDataVerifier([root], False, Environment.SANDBOX, BUNDLE)
            coins, gold = transactions(client, verifier, store)
            hilda = history(client, verifier, store)
            orders(client, verifier, store)
            subscriptions(client, verifier, store, gold)
            account_tokens(client, verifier, store, gold, coins)
            consumption(client, store, coins, gold)
            notifications(client, verifier, store, webhook, hilda)
            left_out(client)
            tokens(store, key)
            asyncio.run(asynchronous(key, store, gold))
            public = {
                name for name, _ in inspect.getmembers(api_client.AppStoreServerAPIClient, inspect.isfunction)
                if not name.startswith("_")}
            equal(public - called, set(), "calls of Apple's client that nothing was asked of")
        finally:
            store.process.terminate()
            status = store.process.wait(30)
    equal(status, 0, "the exit status after SIGTERM")
    for finding in findings:
        print(finding)
    print(f"{len(called)} calls, {looked} looks, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
