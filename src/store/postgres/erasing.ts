/** Replaces the content of earlier changes (../erasure.ts); the current change of a key stays. */
import type { DeletedPage, ErasedChange, ErasureParts } from "../erasure.ts";
import { erasedDocument, erasedValues } from "../seal.ts";
import { bytesArray, int8Array } from "./binary-array.ts";
import type { Pool } from "./pool.ts";

const pageRows = 500;

const deletedStatement = {
  text: `WITH page AS MATERIALIZED (
      SELECT revision, kind, namespace, name, uid, octet_length(sealed) > 1 AS has_content
      FROM change WHERE revision > $1 AND sealed IS NOT NULL ORDER BY revision LIMIT $2)
    SELECT revision, has_content AND ($5::text IS NULL OR namespace = $5) AND EXISTS (
      SELECT FROM change d WHERE d.type = 3 AND d.kind = page.kind
        AND d.namespace = page.namespace AND d.name = page.name
        AND d.uid = page.uid AND d.at_ms <= now_v1($3) - $4::bigint)
    FROM page ORDER BY revision`,
};

/** A deletion without a document shows the one of the change that it replaced. */
const eraseStatement = {
  text: `WITH erased AS (
      UPDATE change c SET document = coalesce(w.document, c.document),
        sealed = CASE WHEN w.document IS NULL THEN $3::bytea ELSE $4::bytea END
      FROM unnest($1::bigint[], $2::text[]) w (revision, document)
      WHERE c.revision = w.revision AND c.document IS NOT NULL
        AND CASE WHEN w.document IS NULL THEN octet_length(c.sealed) > 1
          ELSE c.document <> w.document OR c.sealed IS DISTINCT FROM $4::bytea END
        AND NOT EXISTS (SELECT FROM resource r
          WHERE r.kind = c.kind AND r.namespace = c.namespace AND r.name = c.name
            AND r.revision = c.revision)
      RETURNING 1)
    SELECT count(*) FROM erased`,
};

export function erasureParts(pool: Pool, clockSkewMs: () => number): ErasureParts {
  return {
    deleted: async (after, minAgeMs, namespace): Promise<DeletedPage> => {
      const parameters = [after, pageRows, clockSkewMs(), minAgeMs, namespace ?? null];
      const rows = await pool.rows(deletedStatement, parameters);
      const wanted = rows.filter((row) => row[1] === true);
      const next = rows.length < pageRows ? undefined : (rows.at(-1)?.[0] as number);
      return { revisions: wanted.map((row) => row[0] as number), next };
    },
    write: async (changes: readonly ErasedChange[]) => {
      const [row] = await pool.rows(eraseStatement, [
        int8Array(changes.map(({ revision }) => revision)),
        bytesArray(
          changes.map(({ document }) => document ?? null),
          "text",
        ),
        erasedValues,
        erasedDocument,
      ]);
      return row?.[0] as number;
    },
  };
}
