-- Less work for each claim and release. A release had to find its row of work and its resource by
-- their keys, which are long texts. A claim says now where its row is (at), and its release looks
-- there: the token, which is never given twice, proves that the row is the one, and the claim that
-- the resource is still the one that was claimed (see 0007_release.sql). Rows that have moved since,
-- by a renewal or a wake, are found by their keys.
--
-- A claim that is held is moved out of the way after fewer others when claims are small, and nobody
-- looks through 4,096 rows for such claims any more where as many as are young will do.
--
-- As claim_v4 (0009), with the place of the row.
CREATE FUNCTION claim_v5(p_owner text, p_kinds text[], p_limit int, p_lease_ms bigint,
  p_per_namespace int, p_skip text[], p_cursor text, p_visits int, p_known_from bigint,
  p_known_to bigint, p_crowded boolean, p_skew_ms bigint)
RETURNS TABLE (kind text, namespace text, name text, token bigint, expires_at bigint,
  due_at bigint, attempts int, turn text, revision bigint, uid text, document varchar,
  sealed bytea, at tid) LANGUAGE plpgsql
SET enable_sort = off SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_now bigint := now_v1(p_skew_ms);
  v_nos bigint[] := ARRAY(SELECT hashtextextended(k.kind, 0) FROM unnest(p_kinds) AS k(kind));
  -- The namespaces of what is due, as far as it can be given.
  v_found text[];
  v_fits boolean := false;
  v_turns text[];
  v_share int;
  v_rows tid[];
  v_due_at bigint[];
  v_expired boolean;
  v_moved int := 0;
  v_token bigint;
  -- So many claims may be given out after one that is held until it is moved out of the way. Who
  -- asks for few at a time holds few.
  v_young bigint := least(1024, greatest(128, 8 * p_limit));
BEGIN
  IF NOT p_crowded THEN
    v_found := ARRAY(SELECT q.namespace FROM unnest(p_kinds, v_nos) AS k(kind, no)
      CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind_no = k.no AND d.kind = k.kind
        AND d.ready_at > -1 AND d.ready_at <= v_now AND d.due_at <= v_now
        ORDER BY d.ready_at LIMIT p_limit + 1) q LIMIT p_limit + 1);
    v_fits := cardinality(v_found) <= p_limit AND NOT v_found && p_skip;
    IF v_fits AND cardinality(v_found) > p_per_namespace THEN
      SELECT bool_and(s.n <= p_per_namespace) INTO v_fits
        FROM (SELECT count(*) AS n FROM unnest(v_found) AS f(namespace) GROUP BY f.namespace) s;
    END IF;
  END IF;
  IF v_fits THEN
    SELECT array_agg(o.at), array_agg(o.due_at) INTO v_rows, v_due_at
      FROM (SELECT q.at, q.due_at FROM unnest(p_kinds, v_nos) AS k(kind, no)
        CROSS JOIN LATERAL (SELECT d.ctid AS at, d.due_at FROM due d
          WHERE d.kind_no = k.no AND d.kind = k.kind AND d.ready_at > -1 AND d.ready_at <= v_now
          AND d.due_at <= v_now AND d.namespace <> ALL (p_skip)
          ORDER BY d.ready_at LIMIT p_limit FOR UPDATE SKIP LOCKED) q LIMIT p_limit) o;
  ELSE
    SELECT t.p_turns, t.p_last INTO v_turns, p_cursor
      FROM turns_v3(p_kinds, v_nos, p_limit, p_skip, p_cursor, p_visits, v_now) t;
    v_share := greatest(1, ceil(p_limit::numeric / greatest(cardinality(v_turns), 1)));
    LOOP
      SELECT t.* INTO v_rows, v_due_at, v_expired
        FROM take_v3(p_kinds, v_nos, v_turns, least(v_share, p_per_namespace), p_limit, v_now) t;
      IF coalesce(cardinality(v_rows), 0) < p_limit
          AND v_share < coalesce(p_per_namespace, p_limit) THEN
        SELECT t.* INTO v_rows, v_due_at, v_expired
          FROM take_v3(p_kinds, v_nos, v_turns, least(p_limit, p_per_namespace), p_limit, v_now) t;
      END IF;
      EXIT WHEN v_expired IS NOT TRUE OR v_moved >= 1000;
      -- Those whose workers died are due since the end of their leases: it is not their turn before
      -- those that waited all the time. A claim moves so many at most, whatever else has expired.
      v_moved := v_moved + cardinality(v_rows);
      UPDATE due d SET kept_at = NULL
        WHERE d.ctid = ANY (v_rows) AND d.token IS NOT NULL AND d.kept_at IS NOT NULL;
    END LOOP;
  END IF;
  IF v_rows IS NULL THEN
    turn := p_cursor;
    RETURN NEXT;
    RETURN;
  END IF;
  RETURN QUERY WITH taken AS (
    UPDATE due d SET due_at = v_now + p_lease_ms, kept_at = o.due_at, wake_at = NULL,
        token = nextval('claim_token'), owner = p_owner, attempts = d.attempts + 1
      FROM unnest(v_rows, v_due_at) AS o(at, due_at) WHERE d.ctid = o.at
      RETURNING d.kind, d.namespace, d.name, d.token, d.due_at AS expires_at, o.due_at,
        d.attempts, d.ctid AS at)
    SELECT t.kind, t.namespace, t.name, t.token, t.expires_at, t.due_at, t.attempts, p_cursor,
      r.revision, r.uid, c.document::varchar, c.sealed, t.at FROM taken t
    LEFT JOIN LATERAL (SELECT q.uid, q.revision FROM resource q WHERE q.kind = t.kind
      AND q.namespace = t.namespace AND q.name = t.name OFFSET 0) r ON true
    LEFT JOIN LATERAL (SELECT q.document, q.sealed FROM change q WHERE q.revision =
      CASE WHEN r.revision NOT BETWEEN p_known_from AND p_known_to THEN r.revision END
      OFFSET 0) c ON true;
  v_token := currval('claim_token');
  IF v_token / (v_young / 2) <> (v_token - cardinality(v_rows)) / (v_young / 2) THEN
    v_rows := ARRAY(SELECT q.at FROM unnest(p_kinds, v_nos) AS k(kind, no)
      CROSS JOIN LATERAL (SELECT d.ctid AS at, d.due_at, d.token FROM due d
        WHERE d.kind_no = k.no AND d.kind = k.kind AND d.ready_at > -1 AND d.ready_at <= v_now
        ORDER BY d.ready_at LIMIT v_young) q WHERE q.due_at > v_now AND q.token < v_token - v_young);
    UPDATE due d SET kept_at = NULL WHERE d.ctid = ANY (ARRAY(SELECT h.ctid FROM due h
      WHERE h.ctid = ANY (v_rows) AND h.due_at > v_now FOR UPDATE SKIP LOCKED));
  END IF;
END $$;

-- As release_v2 (0008), for claims whose uid the caller knows: that is not looked up any more, nor is
-- the revision. The answer names, from 1, those that were not released because their claim is lost.
CREATE FUNCTION release_v3(
  p_writer text, p_batch bigint, p_skew_ms bigint,
  p_kind text[], p_namespace text[], p_name text[], p_token bigint[],
  p_at text[], p_after bigint[], p_reset boolean[]
) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_head bigint;
  v_now bigint;
  v_batch bigint;
  v_answer text;
  v_done int[];
  v_left int[] := '{}';
  v_work boolean;
  v_more boolean;
  v_told boolean;
BEGIN
  SELECT w.batch INTO v_batch FROM writer w WHERE w.id = p_writer FOR UPDATE;
  IF v_batch IS NULL THEN
    RAISE EXCEPTION 'writer % is not registered', p_writer USING ERRCODE = 'SP002';
  END IF;
  IF v_batch = p_batch THEN RETURN (SELECT w.answer FROM writer w WHERE w.id = p_writer); END IF;
  IF v_batch > p_batch THEN
    RAISE EXCEPTION 'batch % of writer % is too late', p_batch, p_writer USING ERRCODE = 'SP001';
  END IF;
  v_now := now_v1(p_skew_ms);
  WITH released AS (
    UPDATE due d SET due_at = least(v_now + w.after, d.wake_at), wake_at = NULL, token = NULL,
        owner = NULL, attempts = CASE WHEN w.reset THEN 0 ELSE d.attempts END
      FROM unnest(p_at::tid[], p_token, p_after, p_reset) WITH ORDINALITY
        AS w(at, token, after, reset, place)
      WHERE d.ctid = w.at AND d.token = w.token AND d.due_at > v_now
      RETURNING w.place, d.due_at)
  SELECT array_agg(r.place), bool_or(r.due_at <= v_now + 600000) INTO v_done, v_work
    FROM released r;
  IF cardinality(p_token) > coalesce(cardinality(v_done), 0) THEN
    v_left := ARRAY(SELECT i FROM generate_series(1, cardinality(p_token)) AS w(i)
      WHERE i <> ALL (coalesce(v_done, '{}')) ORDER BY i);
    WITH released AS (
      UPDATE due d SET due_at = least(v_now + p_after[w.i], d.wake_at), wake_at = NULL,
          token = NULL, owner = NULL, attempts = CASE WHEN p_reset[w.i] THEN 0 ELSE d.attempts END
        FROM unnest(v_left) AS w(i)
        WHERE d.kind = p_kind[w.i] AND d.namespace = p_namespace[w.i] AND d.name = p_name[w.i]
          AND d.token = p_token[w.i] AND d.due_at > v_now
        RETURNING w.i, d.due_at)
    SELECT array_agg(r.i), bool_or(r.due_at <= v_now + 600000) INTO v_done, v_more
      FROM released r;
    v_left := ARRAY(SELECT i FROM unnest(v_left) AS w(i) WHERE i <> ALL (coalesce(v_done, '{}')));
    v_work := coalesce(v_work, false) OR coalesce(v_more, false);
  END IF;
  SELECT h.revision INTO v_head FROM head h WHERE h.one;
  IF v_work THEN
    v_told := pg_notify(current_schema(), concat_ws(' ', p_writer, v_head, 1)) IS NULL;
  END IF;
  v_answer := json_build_object('head', v_head, 'work', coalesce(v_work, false), 'lost', v_left);
  UPDATE writer SET batch = p_batch, answer = v_answer, at_ms = v_now WHERE id = p_writer;
  RETURN v_answer;
END $$;
