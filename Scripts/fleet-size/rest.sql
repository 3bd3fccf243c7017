-- The rows of all customers but their facts; see facts.sql.
BEGIN;
TRUNCATE storekeeper.customer;
INSERT INTO storekeeper.customer(id, name, version, evaluated, synced, wake, entries, entry_place, salt, links, head)
SELECT fleet.key(convert_to(o.name, 'UTF8')), o.name, t.version, t.evaluated, t.synced,
  t.wake + (n * 7919 % 2592000) * 1000, t.entries, t.entry_place * :customers + n,
  substring(sha256(convert_to(o.name, 'UTF8')) FOR octet_length(t.salt)), t.links, sha256(convert_to(o.name, 'UTF8'))
FROM fleet.customer t CROSS JOIN LATERAL generate_series(t.low, t.high) AS n
CROSS JOIN LATERAL (SELECT fleet.own(t.name, t.digits, n) AS name OFFSET 0) o;
COMMIT;

BEGIN;
TRUNCATE storekeeper.subject;
INSERT INTO storekeeper.subject(id, stamp, customer, holder, bound, place, link, hash, bundle, environment, original,
  purchase, attempts)
SELECT fleet.key(fleet.part(t.bundle) || fleet.part(t.environment) || fleet.part(o.original)), t.stamp,
  fleet.key(convert_to(o.holder, 'UTF8')), o.holder, t.bound, t.place * :customers + n, t.link,
  sha256(convert_to(o.original, 'UTF8')), t.bundle, t.environment, o.original,
  fleet.key(fleet.part(t.environment) || fleet.part(o.original)), t.attempts
FROM (SELECT * FROM fleet.subject ORDER BY place, low OFFSET 0) t CROSS JOIN LATERAL generate_series(t.low, t.high) AS n
CROSS JOIN LATERAL (
  SELECT fleet.own(t.holder, t.digits, n) AS holder, fleet.own(t.original, t.digits, n) AS original OFFSET 0
) o;
COMMIT;

BEGIN;
TRUNCATE storekeeper.transaction;
INSERT INTO storekeeper.transaction(id, customer, bundle, environment, transaction, place, state)
SELECT fleet.key(t.app || fleet.part(o.name)), fleet.key(convert_to(fleet.own(t.sample, t.digits, n), 'UTF8')), t.bundle,
  t.environment, o.name, t.place * :customers + n, t.state
FROM (
  SELECT *, fleet.part(bundle) || fleet.part(environment) AS app FROM fleet.transaction ORDER BY transaction, low OFFSET 0
) t CROSS JOIN LATERAL generate_series(t.low, t.high) AS n
CROSS JOIN LATERAL (SELECT fleet.own(t.transaction, t.digits, n) AS name OFFSET 0) o;
COMMIT;

BEGIN;
TRUNCATE storekeeper.purchase;
INSERT INTO storekeeper.purchase(id, links, head)
SELECT k.id, t.links, sha256(k.id)
FROM fleet.purchase t CROSS JOIN LATERAL generate_series(t.low, t.high) AS n
CROSS JOIN LATERAL (
  SELECT fleet.key(fleet.part(t.environment) || fleet.part(fleet.own(t.original, t.digits, n))) AS id OFFSET 0
) k;
COMMIT;

BEGIN;
TRUNCATE storekeeper.renewal_info;
INSERT INTO storekeeper.renewal_info(purchase, digest, place, learned, header, payload, signature, verbatim, link, hash)
SELECT fleet.key(fleet.part(t.environment) || fleet.part(fleet.own(t.original, t.digits, n))), d.digest,
  t.place * :customers + n, t.learned, t.header, p.payload, d.digest || sha256(d.digest), t.verbatim, t.link,
  sha256(d.digest)
FROM (SELECT * FROM fleet.renewal_info ORDER BY place, low OFFSET 0) t
CROSS JOIN LATERAL generate_series(t.low, t.high) AS n
CROSS JOIN LATERAL (SELECT convert_to(fleet.own(t.text, t.digits, n), 'UTF8') AS payload OFFSET 0) p
CROSS JOIN LATERAL (SELECT sha256(p.payload) AS digest OFFSET 0) d;
COMMIT;

BEGIN;
TRUNCATE storekeeper.ledger;
INSERT INTO storekeeper.ledger(customer, number, place, at, kind, balance, change, after, cause, bundle, environment,
  transaction, product, target, link, hash)
SELECT fleet.key(convert_to(fleet.own(t.sample, t.digits, n), 'UTF8')), t.number, t.place * :customers + n, t.at, t.kind,
  t.balance, t.change, t.after, fleet.key(fleet.part(t.bundle) || fleet.part(t.environment) || fleet.part(o.name)),
  t.bundle, t.environment, o.name, t.product, t.target, t.link, sha256(convert_to(o.name, 'UTF8'))
FROM fleet.ledger t CROSS JOIN LATERAL generate_series(t.low, t.high) AS n
CROSS JOIN LATERAL (SELECT fleet.own(t.transaction, t.digits, n) AS name OFFSET 0) o;
COMMIT;

BEGIN;
TRUNCATE storekeeper.balance;
INSERT INTO storekeeper.balance(customer, name, credited, spent, clawed_back, restored)
SELECT fleet.key(convert_to(fleet.own(t.sample, t.digits, n), 'UTF8')), t.name, t.credited, t.spent, t.clawed_back,
  t.restored
FROM fleet.balance t CROSS JOIN LATERAL generate_series(t.low, t.high) AS n;
COMMIT;

BEGIN;
TRUNCATE storekeeper.event;
INSERT INTO storekeeper.event(customer, place, name, at, kind, subject, before_word, before_reason, before_product,
  before_transaction, before_until, after_word, after_reason, after_product, after_transaction, after_until)
SELECT fleet.key(convert_to(o.name, 'UTF8')), t.place * :customers + n, o.name, t.at, t.kind, t.subject, t.before_word,
  t.before_reason, t.before_product, fleet.own(t.before_transaction, t.digits, n), t.before_until, t.after_word,
  t.after_reason, t.after_product, fleet.own(t.after_transaction, t.digits, n), t.after_until
FROM (SELECT * FROM fleet.event ORDER BY place, low OFFSET 0) t CROSS JOIN LATERAL generate_series(t.low, t.high) AS n
CROSS JOIN LATERAL (SELECT fleet.own(t.name, t.digits, n) AS name OFFSET 0) o;
COMMIT;

BEGIN;
TRUNCATE storekeeper.notification;
INSERT INTO storekeeper.notification(id, at)
SELECT fleet.key(convert_to(lpad(n::text, 8, '0') || '-1001-4000-8000-000000000001', 'UTF8')), t.evaluated
FROM fleet.customer t CROSS JOIN LATERAL generate_series(t.low, t.high) AS n
WHERE t.wake IS NOT NULL;
COMMIT;

-- Groups of 64 steps: 57 bytes for each customer and for each purchase in a group. A fleet of these customers has taken
-- 16 steps for every ten: ten credits, three subscriptions, three renewals; the latter six name a purchase, too.
INSERT INTO storekeeper.checkpoint(place, heads, hash)
SELECT g * 64, h.heads, sha256(h.heads)
FROM generate_series(1, :customers * 16 / 10 / 64) AS g
CROSS JOIN LATERAL (
  SELECT string_agg(sha256(int8send(g * 1000 + i)), ''::bytea) AS heads FROM generate_series(1, 64 * 57 * 22 / 16 / 32) AS i
) h;
UPDATE storekeeper.feed SET next = 1000 * :customers::bigint, head = sha256(head);
