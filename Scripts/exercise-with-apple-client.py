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
from appstoreserverlibrary.models.BulletPoint import BulletPoint
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.HeaderPosition import HeaderPosition
from appstoreserverlibrary.models.ImageSize import ImageSize
from appstoreserverlibrary.models.ImageState import ImageState
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.MessageState import MessageState
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
from appstoreserverlibrary.models.PerformanceTestStatus import PerformanceTestStatus
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.models.UploadMessageImage import UploadMessageImage
from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from cryptography.hazmat.primitives.asymmetric import ec

BUNDLE = "com.example.game"
DAY = 86_400_000

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

    def control(self, path, body):
        """Sends a control request; returns the HTTP status, content type and body."""
        request = urllib.request.Request(
            self.url + "/local/v1" + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as response:
                return response.status, response.headers["Content-Type"], response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers["Content-Type"], error.read()

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
    equal(
        client.extend_subscription_renewal_date(gold, request).effectiveDate, extended.effectiveDate,
        "a repeated extension")
    request.requestIdentifier = str(uuid.uuid4())
    client.extend_subscription_renewal_date(gold, request)
    request.requestIdentifier = str(uuid.uuid4())
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


class RetentionServer:
    """The app's server for retention messages: verifies requests, and responds as a test sets."""

    def __init__(self, verifier):
        self.answer = None
        self.status = 200
        self.requests = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(verifier.verify_and_decode_realtime_request(body["signedPayload"]))
                answer = json.dumps(outer.answer).encode()
                self.send_response(outer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/retention"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


def retention_images(client, store):
    image, icon, unused = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    client.upload_image(image, PNG)
    client.upload_image(icon, PNG, ImageSize.BULLET_POINT)
    client.upload_image(unused, PNG, ImageSize.FULL_SIZE)
    equal(
        [(item.imageIdentifier, item.imageState, item.imageSize) for item in client.get_image_list().imageIdentifiers],
        [(image, ImageState.APPROVED, ImageSize.FULL_SIZE), (icon, ImageState.APPROVED, ImageSize.BULLET_POINT),
         (unused, ImageState.APPROVED, ImageSize.FULL_SIZE)], "the images")
    refused(lambda: client.upload_image(image, PNG), APIError.IMAGE_ALREADY_EXISTS, 409, "an image again")
    refused(lambda: client.upload_image(uuid.uuid4(), b"GIF89a"), APIError.INVALID_IMAGE, 400, "no PNG")
    client.delete_image(unused)
    refused(lambda: client.delete_image(unused), APIError.IMAGE_NOT_FOUND, 404, "an image that is gone")
    return image, icon


def retention_messages(client, store, image, icon):
    plain, rich = uuid.uuid4(), uuid.uuid4()

    def request(header="Stay with us", body="There is more to come.", **parts):
        return UploadMessageRequestBody(header=header, body=body, **parts)

    client.upload_message(plain, request())
    picture = UploadMessageImage(imageIdentifier=image, altText="A castle")
    point = BulletPoint(text="New levels", imageIdentifier=icon, altText="A star")
    client.upload_message(
        rich, request(image=picture, headerPosition=HeaderPosition.ABOVE_IMAGE, bulletPoints=[point] * 5))
    equal(
        [(item.messageIdentifier, item.messageState) for item in client.get_message_list().messageIdentifiers],
        [(plain, MessageState.APPROVED), (rich, MessageState.APPROVED)], "the messages")
    refused(lambda: client.upload_message(plain, request()), APIError.MESSAGE_ALREADY_EXISTS, 409, "a message again")
    refused(lambda: client.delete_image(image), APIError.IMAGE_IN_USE, 403, "an image in use")

    def long(change, error, what):
        """Changes a request past the limits that Apple's models check, and expects an error."""
        body = request(image=picture, bulletPoints=[point])
        with attr.validators.disabled():
            change(body)
            refused(lambda: client.upload_message(uuid.uuid4(), body), error, 400, what)

    long(lambda body: setattr(body, "header", "x" * 67), APIError.HEADER_TOO_LONG, "a long header")
    long(lambda body: setattr(body, "body", "x" * 145), APIError.BODY_TOO_LONG, "a long body")
    long(
        lambda body: setattr(body, "image", UploadMessageImage(imageIdentifier=image, altText="x" * 151)),
        APIError.ALT_TEXT_TOO_LONG, "a long description")
    long(
        lambda body: setattr(body, "bulletPoints", [point] * 6), APIError.BAD_REQUEST_TOO_MANY_BULLET_POINTS,
        "six points")
    long(
        lambda body: setattr(
            body, "bulletPoints", [BulletPoint(text="x" * 67, imageIdentifier=icon, altText="A star")]),
        APIError.BAD_REQUEST_BULLET_POINT_TEXT_TOO_LONG, "a long point")
    for parts, error, status, what in [
        ({"headerPosition": HeaderPosition.ABOVE_IMAGE}, APIError.BAD_REQUEST_ABOVE_IMAGE_REQUIRES_AN_IMAGE, 400,
         "above no image"),
        ({"image": UploadMessageImage(imageIdentifier=icon, altText="")}, APIError.BAD_REQUEST_IMAGE_SIZE, 400,
         "an icon as an image"),
        ({"image": UploadMessageImage(imageIdentifier=uuid.uuid4(), altText="")}, APIError.IMAGE_NOT_FOUND, 404,
         "an unknown image"),
    ]:
        refused(lambda: client.upload_message(uuid.uuid4(), request(**parts)), error, status, what)
    return plain, rich


def review(store, **parts):
    status, _, body = store.control("/messaging", parts)
    equal(status, 200, f"a review: {body!r}")


def default_messages(client, store, image, plain, rich):
    def configure(message, product="gold.monthly", locale="en-US"):
        client.configure_default_message(product, locale, DefaultConfigurationRequest(messageIdentifier=message))

    refused(
        lambda: client.get_default_message("gold.monthly", "en-US"), APIError.DEFAULT_MESSAGE_NOT_FOUND, 404,
        "no default yet")
    configure(plain)
    equal(client.get_default_message("gold.monthly", "en-US").messageIdentifier, plain, "a default message")
    refused(lambda: configure(uuid.uuid4()), APIError.MESSAGE_NOT_FOUND, 404, "an unknown message")
    refused(lambda: configure(plain, "platinum"), APIError.INVALID_PRODUCT_ID, 400, "an unknown product")
    refused(lambda: configure(plain, locale="e"), APIError.INVALID_LOCALE, 400, "no locale")
    review(store, review="REJECTED", message=str(plain))
    refused(lambda: configure(plain), APIError.MESSAGE_NOT_APPROVED, 403, "a rejected message")
    review(store, review="PENDING", image=str(image))
    refused(lambda: configure(rich), APIError.IMAGE_NOT_APPROVED, 403, "a pending image")
    equal(client.get_image_list().imageIdentifiers[0].imageState, ImageState.PENDING, "a review of an image")
    equal(client.get_message_list().messageIdentifiers[0].messageState, MessageState.REJECTED, "a review")
    review(store, review="APPROVED", image=str(image), message=str(plain))
    configure(rich, locale="de-DE")
    client.delete_default_message("gold.monthly", "de-DE")
    refused(
        lambda: client.delete_default_message("gold.monthly", "de-DE"), APIError.DEFAULT_MESSAGE_NOT_FOUND, 404,
        "a default that is gone")


def realtime_messages(client, verifier, store, plain, rich):
    [gold] = store.steps("new person rita", "buy gold.monthly by rita")[1:]
    server = RetentionServer(verifier)
    refused(client.get_realtime_url, APIError.REALTIME_URL_NOT_FOUND, 404, "no URL yet")
    test = PerformanceTestRequest(originalTransactionId=gold)
    refused(lambda: client.initiate_performance_test(test), APIError.REALTIME_URL_NOT_FOUND, 404, "a test of no URL")
    refused(
        lambda: client.configure_realtime_url(RealtimeUrlRequest(realtimeURL="ftp://example.com")),
        APIError.BAD_REQUEST_REALTIME_URL, 400, "another scheme")
    client.configure_realtime_url(RealtimeUrlRequest(realtimeURL=server.url))
    equal(client.get_realtime_url().realtimeURL, server.url, "the URL")

    def display():
        status, _, body = store.control("/messaging/display", {"transactionID": gold, "locale": "en-US"})
        equal(status, 200, "a display")
        answer = json.loads(body)
        return answer["source"], answer.get("message", {}).get("id")

    server.answer = {"message": {"messageIdentifier": str(rich)}}
    equal(display(), ("message", str(rich)), "the server's message")
    [request] = server.requests
    equal(
        (request.originalTransactionId, request.productId, request.userLocale, request.environment),
        (gold, "gold.monthly", "en-US", Environment.SANDBOX), "a real-time request")
    server.answer = {"alternateProduct": {"messageIdentifier": str(plain), "productId": "silver.monthly"}}
    equal(display(), ("alternateProduct", str(plain)), "another product")
    server.answer = {
        "promotionalOffer": {"messageIdentifier": str(plain), "promotionalOfferSignatureV2": "a.b.c"}}
    equal(display(), ("promotionalOffer", str(plain)), "an offer")
    for answer in [{}, {"message": {"messageIdentifier": str(uuid.uuid4())}},
                   {"message": {"messageIdentifier": str(rich)}, "promotionalOffer": {}}]:
        server.answer = answer
        equal(display(), ("default", str(plain)), f"the default instead of {answer}")
    server.status = 500
    equal(display(), ("default", str(plain)), "the default instead of an error")
    for wanted, rate in [(PerformanceTestStatus.FAIL, 0), (PerformanceTestStatus.PASS, 100)]:
        started = client.initiate_performance_test(test)
        for _ in range(600):
            result = client.get_performance_test_results(started.requestId)
            if result.result != PerformanceTestStatus.PENDING:
                break
            time.sleep(0.05)
        equal((result.result, result.successRate, result.target), (wanted, rate, server.url), "a performance test")
        equal(result.config, started.config, "its size")
        if rate == 0:
            equal(
                result.failures, {SendAttemptResult.UNSUCCESSFUL_HTTP_RESPONSE_CODE: started.config.totalRequests},
                "its failures")
        server.status = 200
    refused(
        lambda: client.initiate_performance_test(PerformanceTestRequest(originalTransactionId="1")),
        APIError.INVALID_PERFORMANCE_TEST_REQUEST, 400, "a test with nothing")
    refused(lambda: client.get_performance_test_results("r"), APIError.INVALID_REQUEST_ID, 400, "no id")
    refused(
        lambda: client.get_performance_test_results(str(uuid.uuid4())), APIError.PERFORMANCE_TEST_RUN_NOT_FOUND, 404,
        "an unknown test")
    client.delete_realtime_url()
    refused(client.delete_realtime_url, APIError.REALTIME_URL_NOT_FOUND, 404, "a URL that is gone")
    equal(display(), ("default", str(plain)), "the default without a URL")
    client.delete_message(plain)
    refused(lambda: client.delete_message(plain), APIError.MESSAGE_NOT_FOUND, 404, "a message that is gone")
    equal(display(), ("none", None), "nothing, once the default is deleted")
    # Each error of Apple's client can be caused, also those without a state.
    for error in APIError:
        store.steps(f"fault messaging how {error.value} times 1")
        refused(client.get_message_list, error, error.value // 10_000, f"the fault {error.name}")


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
            image, icon = retention_images(client, store)
            plain, rich = retention_messages(client, store, image, icon)
            default_messages(client, store, image, plain, rich)
            realtime_messages(client, verifier, store, plain, rich)
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
