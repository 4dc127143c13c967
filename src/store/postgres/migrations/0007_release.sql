-- A batch that does nothing but give back live claims, which is what workers do most of the time
-- while nothing changes. It touches neither the log nor a resource, so it needs no place in the
-- order of commits: it does not wait for the head, and each row is found and changed in one go.
--
-- A claim that is live proves that its resource is still the one that was claimed, because a
-- deletion takes the row of work along. What is left to be judged is a uid, where one is given.
--
-- The keys come in the order in which every statement locks rows. What is in no part of the answer
-- was not released because its claim is lost.
CREATE FUNCTION release_v1(
  p_writer text, p_batch bigint, p_skew_ms bigint,
  p_kind text[], p_namespace text[], p_name text[], p_token bigint[],
  p_uid text[], p_after bigint[], p_reset boolean[]
) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_head bigint;
  v_now bigint;
  v_batch bigint;
  v_answer text;
  v_place int[];
  v_revision bigint[];
  v_conflict int[] := '{}';
  v_work boolean;
BEGIN
  SELECT w.batch, w.answer INTO v_batch, v_answer FROM writer w WHERE w.id = p_writer FOR UPDATE;
  IF v_batch IS NULL THEN
    RAISE EXCEPTION 'writer % is not registered', p_writer USING ERRCODE = 'SP002';
  END IF;
  IF v_batch = p_batch THEN RETURN v_answer; END IF;
  IF v_batch > p_batch THEN
    RAISE EXCEPTION 'batch % of writer % is too late', p_batch, p_writer USING ERRCODE = 'SP001';
  END IF;
  v_now := now_v1(p_skew_ms);
  WITH released AS (
    UPDATE due d SET due_at = least(v_now + w.after, d.wake_at), wake_at = NULL, token = NULL,
        owner = NULL, attempts = CASE WHEN w.reset THEN 0 ELSE d.attempts END
      FROM unnest(p_kind, p_namespace, p_name, p_token, p_uid, p_after, p_reset) WITH ORDINALITY
        AS w(kind, namespace, name, token, uid, after, reset, place)
      CROSS JOIN LATERAL (SELECT q.revision, q.uid FROM resource q WHERE q.kind = w.kind
        AND q.namespace = w.namespace AND q.name = w.name OFFSET 0) r
      WHERE d.kind = w.kind AND d.namespace = w.namespace AND d.name = w.name
        AND d.token = w.token AND d.due_at > v_now AND (w.uid IS NULL OR w.uid = r.uid)
      RETURNING w.place, d.due_at, r.revision)
  SELECT array_agg(r.place), array_agg(r.revision), bool_or(r.due_at <= v_now + 600000)
    INTO v_place, v_revision, v_work FROM released r;
  IF cardinality(p_kind) > coalesce(cardinality(v_place), 0) THEN
    SELECT coalesce(array_agg(w.place), '{}') INTO v_conflict
      FROM unnest(p_kind, p_namespace, p_name, p_token) WITH ORDINALITY
        AS w(kind, namespace, name, token, place)
      CROSS JOIN LATERAL (SELECT 1 FROM due q WHERE q.kind = w.kind AND q.namespace = w.namespace
        AND q.name = w.name AND q.token = w.token AND q.due_at > v_now OFFSET 0) d;
  END IF;
  SELECT h.revision INTO v_head FROM head h WHERE h.one;
  IF v_work THEN PERFORM pg_notify(current_schema(), concat_ws(' ', p_writer, v_head, 1)); END IF;
  v_answer := json_build_object('head', v_head, 'work', coalesce(v_work, false),
    'places', coalesce(v_place, '{}'), 'revisions', coalesce(v_revision, '{}'),
    'conflicts', v_conflict);
  UPDATE writer SET batch = p_batch, answer = v_answer, at_ms = v_now WHERE id = p_writer;
  RETURN v_answer;
END $$;
