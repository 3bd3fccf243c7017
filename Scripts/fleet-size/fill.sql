-- Makes of the rows of two customers those of as many as :customers says. What is hashed into links has stand-ins of the
-- right length, which `storekeeper vault verify` would find; keys are what a vault looks for.
--
-- A customer's rows of each month stand where they would have been added: all customers' first, then all customers' next.
CREATE SCHEMA fleet;

CREATE FUNCTION fleet.key(bytea) RETURNS bytea LANGUAGE sql STABLE RETURN substring(sha256($1) FOR 16);
-- A text as it is hashed: its length in eight bytes, and itself.
CREATE FUNCTION fleet.part(text) RETURNS bytea LANGUAGE sql STABLE
  RETURN set_byte('\x0000000000000000'::bytea, 0, octet_length($1)) || convert_to($1, 'UTF8');
-- A text of the sample as another customer has it.
CREATE FUNCTION fleet.own(text, text, bigint) RETURNS text LANGUAGE sql STABLE
  RETURN replace($1, $2, lpad($3::text, 8, '0'));

-- Whose numbers go where in the rows of the sample, and which customers become of it.
CREATE TABLE fleet.kind AS
SELECT c.id AS home, c.name AS sample, left(c.name, 8) AS digits,
  CASE WHEN c.wake IS NULL THEN 0 ELSE :customers * 7 / 10 END::bigint AS low,
  CASE WHEN c.wake IS NULL THEN :customers * 7 / 10 ELSE :customers END::bigint - 1 AS high
FROM storekeeper.customer c;

CREATE TABLE fleet.customer AS
SELECT t.*, k.* FROM storekeeper.customer t JOIN fleet.kind k ON k.home = t.id;
CREATE TABLE fleet.subject AS
SELECT t.*, k.* FROM storekeeper.subject t JOIN fleet.kind k ON k.home = t.customer;
CREATE TABLE fleet.transaction AS
SELECT t.*, k.* FROM storekeeper.transaction t JOIN fleet.kind k ON k.home = t.customer;
CREATE TABLE fleet.fact AS
SELECT t.place, t.learned, t.header, t.verbatim, t.link, convert_from(t.payload, 'UTF8') AS text, x.transaction AS name,
  x.bundle, x.environment, s.original, k.*
FROM storekeeper.fact t JOIN fleet.kind k ON k.home = t.customer JOIN storekeeper.transaction x ON x.id = t.transaction
JOIN storekeeper.subject s ON s.id = t.chain;
CREATE TABLE fleet.purchase AS
SELECT t.*, s.environment, s.original, k.* FROM storekeeper.purchase t JOIN storekeeper.subject s ON s.purchase = t.id
JOIN fleet.kind k ON k.home = s.customer;
CREATE TABLE fleet.renewal_info AS
SELECT t.place, t.learned, t.header, t.verbatim, t.link, convert_from(t.payload, 'UTF8') AS text, s.environment,
  s.original, k.*
FROM storekeeper.renewal_info t JOIN storekeeper.subject s ON s.purchase = t.purchase
JOIN fleet.kind k ON k.home = s.customer;
CREATE TABLE fleet.ledger AS SELECT t.*, k.* FROM storekeeper.ledger t JOIN fleet.kind k ON k.home = t.customer;
CREATE TABLE fleet.balance AS SELECT t.*, k.* FROM storekeeper.balance t JOIN fleet.kind k ON k.home = t.customer;
CREATE TABLE fleet.event AS SELECT t.*, k.* FROM storekeeper.event t JOIN fleet.kind k ON k.home = t.customer;

-- The indexes, which are made once the rows are there. What is added in no order leaves pages at some 70 percent.
CREATE TABLE fleet.index AS
SELECT format('ALTER TABLE storekeeper.%I DROP CONSTRAINT %I', t.relname, c.conname) AS away,
  format('ALTER TABLE storekeeper.%I ADD CONSTRAINT %I %s WITH (fillfactor = 70)', t.relname, c.conname,
    pg_get_constraintdef(c.oid)) AS back
FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
WHERE t.relnamespace = 'storekeeper'::regnamespace AND t.relkind = 'p' AND c.contype = 'p'
UNION ALL
SELECT format('DROP INDEX storekeeper.%I', x.relname),
  regexp_replace(replace(pg_get_indexdef(x.oid), ' ON ONLY ', ' ON '), '( WHERE .*)?$',
    format(' WITH (fillfactor = %s)\1', CASE WHEN x.relname ~ '_(place|at)$' THEN 90 ELSE 70 END))
FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
WHERE t.relnamespace = 'storekeeper'::regnamespace AND t.relkind = 'p' AND NOT i.indisprimary;
SELECT away FROM fleet.index \gexec
