-- The facts of all customers, beside the rows of rest.sql. Each table in the transaction that has emptied it, so that
-- nothing is logged.
BEGIN;
TRUNCATE storekeeper.fact;
INSERT INTO storekeeper.fact(customer, transaction, digest, chain, place, learned, header, payload, signature, verbatim,
  link, hash)
SELECT fleet.key(convert_to(fleet.own(t.sample, t.digits, n), 'UTF8')),
  fleet.key(t.app || fleet.part(fleet.own(t.name, t.digits, n))), d.digest,
  fleet.key(t.app || fleet.part(fleet.own(t.original, t.digits, n))), t.place * :customers + n, t.learned, t.header,
  p.payload, d.digest || sha256(d.digest), t.verbatim, t.link, sha256(d.digest)
FROM (SELECT *, fleet.part(bundle) || fleet.part(environment) AS app FROM fleet.fact ORDER BY place, low OFFSET 0) t
CROSS JOIN LATERAL generate_series(t.low, t.high) AS n
CROSS JOIN LATERAL (SELECT convert_to(fleet.own(t.text, t.digits, n), 'UTF8') AS payload OFFSET 0) p
CROSS JOIN LATERAL (SELECT sha256(p.payload) AS digest OFFSET 0) d;
COMMIT;
