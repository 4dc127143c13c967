// The whole resource as it was at a revision.

import { without } from "../../format/without.ts";
import { kube } from "../../api/kube.ts";
import { useQuery } from "../../query/query.ts";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import type { Viewed } from "./resource-page.tsx";

export function PastDocument({ viewed, revision }: { viewed: Viewed; revision: number }) {
  const { kind, namespace, name } = viewed;
  const { data, error, refetch } = useQuery(
    `at ${kind.id} ${namespace} ${name} ${revision}`,
    async (signal) => (await kube.at(kind, { namespace, name }, revision, signal)) ?? null,
  );
  if (error !== undefined) return <ErrorPanel error={error} onRetry={refetch} />;
  if (data === undefined) return <Skeleton lines={10} />;
  if (data === null) return <Empty>It did not exist at this revision.</Empty>;
  const shown = { ...data, metadata: without(data.metadata, "managedFields") };
  return (
    <pre class="past" tabIndex={0} aria-label={`${name} at revision ${revision}`}>
      <code>{JSON.stringify(shown, undefined, 2)}</code>
    </pre>
  );
}
