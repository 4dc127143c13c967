// One subscription: its resources by group, and the operations that were accepted for them.

import { flagsOf } from "../../actions/subject-flags.ts";
import { namespaceOfSubscription, subscriptionsKind } from "../../api/providers.ts";
import type { Subscription } from "../../api/providers.ts";
import { kindNamed, kinds } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { kube } from "../../api/kube.ts";
import { CauseBanner } from "../../components/cause-banner.tsx";
import { useSelected } from "../../components/selected.ts";
import { StateIcon } from "../../components/state.tsx";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import type { PageProps } from "../../routes.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { limitsOf, subscriptionLook } from "./looks.ts";
import { OperationsTab } from "./operations-tab.tsx";
import { ResourcesTab } from "./resources-tab.tsx";
import "./providers.css";

export function SubscriptionPage(props: PageProps) {
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  const kind = kindNamed(subscriptionsKind);
  if (kind === undefined) return <Empty>No provider is registered.</Empty>;
  return <Known {...props} kind={kind} />;
}

function Known({ params, query, kind }: PageProps & { readonly kind: KindInfo }) {
  const { subscription: id = "", tab = "resources" } = params;
  const { data, error, refetch } = useQuery(
    `subscription ${id}`,
    async (signal) =>
      (await kube.get(kind, { namespace: "", name: id }, signal)) as unknown as Subscription,
    { live: (change) => change.kind === kind.id && change.name === id },
  );
  const subject = data === undefined ? undefined : { kind, ...flagsOf(data.metadata) };
  useSelected(subject);
  if (data === undefined) {
    if (error === undefined) return <Skeleton lines={8} />;
    return <ErrorPanel error={error} onRetry={refetch} />;
  }
  const state = data.spec?.state;
  const limit = limitsOf(state);
  const look = subscriptionLook(state);
  const namespace = namespaceOfSubscription(id);
  return (
    <div class="stack providers">
      <header>
        <div class="row resource-title">
          <h1 class="subscription-id">{id}</h1>
          <StateIcon look={look} isChip />
          <div class="row end">
            <Button href={paths.resource({ kind: kind.id, namespace: "", name: id })}>
              Open in the Explorer
            </Button>
          </div>
        </div>
        <p class="muted">
          Subscription, known since <Time at={data.metadata.creationTimestamp} />. Its resources are
          in the namespace <span class="mono">{namespace}</span>.
        </p>
      </header>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {limit !== undefined && (
        <CauseBanner
          tone={look.tone}
          title={`The Resource Manager reports the state ${state ?? ""}`}
        >
          <p>{limit}</p>
        </CauseBanner>
      )}
      <Tabs
        label={`Subscription ${id}`}
        current={tab}
        tabs={[
          { id: "resources", label: "Resources", href: paths.subscription(id, "resources") },
          { id: "operations", label: "Operations", href: paths.subscription(id, "operations") },
        ]}
      />
      {tab === "operations" ? (
        <OperationsTab namespace={namespace} query={query} />
      ) : (
        <ResourcesTab namespace={namespace} query={query} />
      )}
    </div>
  );
}
