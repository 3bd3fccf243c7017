-- What a vault's tables and indexes take; the partitions of one are taken together.
\pset footer off
CREATE TEMPORARY VIEW part AS
SELECT coalesce(p.relname, t.relname) AS name, t.oid, t.reltuples, pg_table_size(t.oid) AS bytes
FROM pg_class t LEFT JOIN pg_inherits i ON i.inhrelid = t.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
WHERE t.relnamespace = 'storekeeper'::regnamespace AND t.relkind = 'r' AND t.reltuples > 0;
CREATE TEMPORARY VIEW leaf AS
SELECT coalesce(p.relname, x.relname) AS name, part.name AS on_table, pg_relation_size(x.oid) AS bytes, x.reltuples,
  (bt_metap(x.oid::regclass::text)).level + 1 AS levels
FROM part JOIN pg_index i ON i.indrelid = part.oid JOIN pg_class x ON x.oid = i.indexrelid
LEFT JOIN pg_inherits h ON h.inhrelid = x.oid LEFT JOIN pg_class p ON p.oid = h.inhparent;

SELECT name AS "table", sum(reltuples)::bigint AS rows, pg_size_pretty(sum(bytes)) AS size,
  round(sum(bytes) / sum(reltuples)::numeric) AS "bytes a row", round(sum(bytes) / :customers) AS "bytes a customer"
FROM part GROUP BY name HAVING sum(bytes) > :customers ORDER BY sum(bytes) DESC;
SELECT name AS index, sum(reltuples)::bigint AS entries, pg_size_pretty(sum(bytes)) AS size,
  round(sum(bytes) / greatest(sum(reltuples), 1)::numeric) AS "bytes an entry",
  round(sum(bytes) / :customers) AS "bytes a customer", max(levels) AS levels
FROM leaf GROUP BY name HAVING sum(bytes) > :customers ORDER BY sum(bytes) DESC;
SELECT pg_size_pretty((SELECT sum(bytes) FROM part)) AS tables, pg_size_pretty((SELECT sum(bytes) FROM leaf)) AS indexes,
  round(((SELECT sum(bytes) FROM part) + (SELECT sum(bytes) FROM leaf)) / :customers) AS "bytes a customer";
-- What a renewal of any customer may touch at random: what is not only added at an end.
SELECT pg_size_pretty(sum(bytes)) AS "indexes on hashed keys" FROM leaf WHERE name !~ '_place$|^checkpoint';
