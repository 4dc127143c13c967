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
  v_done boolean;
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
    UPDATE due d SET due_at = least(v_now + p_after[w.i], d.wake_at), wake_at = NULL, token = NULL,
        owner = NULL, attempts = CASE WHEN p_reset[w.i] THEN 0 ELSE d.attempts END
      FROM generate_series(1, cardinality(p_kind)) AS w(i)
      CROSS JOIN LATERAL (SELECT q.revision, q.uid FROM resource q WHERE q.kind = p_kind[w.i]
        AND q.namespace = p_namespace[w.i] AND q.name = p_name[w.i] OFFSET 0) r
      WHERE d.kind = p_kind[w.i] AND d.namespace = p_namespace[w.i] AND d.name = p_name[w.i]
        AND d.token = p_token[w.i] AND d.due_at > v_now
        AND (p_uid[w.i] IS NULL OR p_uid[w.i] = r.uid)
      RETURNING w.i, d.due_at, r.revision)
  SELECT array_agg(r.i), array_agg(r.revision), bool_or(r.due_at <= v_now + 600000)
    INTO v_place, v_revision, v_work FROM released r;
  IF cardinality(p_kind) > coalesce(cardinality(v_place), 0) THEN
    SELECT coalesce(array_agg(w.i), '{}') INTO v_conflict
      FROM generate_series(1, cardinality(p_kind)) AS w(i)
      CROSS JOIN LATERAL (SELECT 1 FROM due q WHERE q.kind = p_kind[w.i]
        AND q.namespace = p_namespace[w.i] AND q.name = p_name[w.i] AND q.token = p_token[w.i]
        AND q.due_at > v_now OFFSET 0) d;
  END IF;
  SELECT h.revision INTO v_head FROM head h WHERE h.one;
  IF v_work THEN
    v_done := pg_notify(current_schema(), concat_ws(' ', p_writer, v_head, 1)) IS NULL;
  END IF;
  v_answer := json_build_object('head', v_head, 'work', coalesce(v_work, false),
    'places', coalesce(v_place, '{}'), 'revisions', coalesce(v_revision, '{}'),
    'conflicts', v_conflict);
  UPDATE writer SET batch = p_batch, answer = v_answer, at_ms = v_now WHERE id = p_writer;
  RETURN v_answer;
END $$;
