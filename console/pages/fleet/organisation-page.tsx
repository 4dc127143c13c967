// One customer: members, how much of each quota is used, and the instances.

import { namespaceOf, organisationsKind } from "../../api/fleet.ts";
import type { Organisation } from "../../api/fleet.ts";
import { kinds } from "../../api/kinds.ts";
import { flagsOf } from "../../actions/subject-flags.ts";
import { CauseBanner } from "../../components/cause-banner.tsx";
import { ConditionsPanel } from "../../components/conditions-panel.tsx";
import { useSelected } from "../../components/selected.ts";
import { StateIcon } from "../../components/state.tsx";
import { plural } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import type { PageProps } from "../../routes.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { CapacityBar } from "./capacity-bar.tsx";
import { ItemButtons } from "./item-buttons.tsx";
import { useItem } from "./use-item.ts";
import { useOfferings } from "./use-offerings.ts";
import "./fleet.css";

export function OrganisationPage({ params }: PageProps) {
  const { name = "" } = params;
  const { data, error, refetch, kind } = useItem<Organisation>(organisationsKind, "", name);
  const offerings = useOfferings();
  const subject =
    kind === undefined || data === undefined ? undefined : { kind, ...flagsOf(data.metadata) };
  useSelected(subject);
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  if (kind === undefined) return <Empty>This server has no fleet module.</Empty>;
  if (data === undefined || subject === undefined) {
    if (error === undefined) return <Skeleton lines={8} />;
    return <ErrorPanel error={error} onRetry={refetch} />;
  }
  const { spec, status = {} } = data;
  const namespace = status.namespace ?? namespaceOf(name);
  return (
    <div class="stack fleet">
      <header>
        <div class="row resource-title">
          <h1>{spec.displayName ?? name}</h1>
          {spec.isDenied === true && <StateIcon look={{ tone: "paused", word: "Denied" }} isChip />}
          <ItemButtons subject={subject} inRow={["edit"]} />
        </div>
        <p class="muted">
          Organisation <span class="mono">{name}</span>, instances in the namespace{" "}
          <span class="mono">{namespace}</span>.
        </p>
      </header>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {spec.isDenied === true && (
        <CauseBanner tone="paused" title="No member may use a service">
          <p>All instances are suspended, and removed after the time of grace.</p>
        </CauseBanner>
      )}
      <div class="columns">
        <div class="stack">
          <QuotaPanel organisation={data} />
          <Members organisation={data} />
        </div>
        <div class="stack">
          <Panel title="Instances">
            <ul class="links">
              {(offerings.data?.items ?? []).map(({ metadata, spec: own }) => (
                <li key={metadata.name}>
                  <a
                    class="link"
                    href={paths.fleet("instances", { offering: metadata.name, ns: namespace })}
                  >
                    {own.displayName ?? metadata.name}
                  </a>
                </li>
              ))}
            </ul>
          </Panel>
          <ConditionsPanel document={data} />
        </div>
      </div>
    </div>
  );
}

function QuotaPanel({ organisation: { status = {} } }: { organisation: Organisation }) {
  return (
    <Panel title="Quota" isPadded>
      {(status.usage ?? []).length === 0 && <p class="muted">It has no quota.</p>}
      {(status.usage ?? []).map(({ offering, type, user, used = 0, max }) => (
        <CapacityBar
          key={`${offering} ${type} ${user ?? ""}`}
          label={`${offering}, ${type}${user === undefined ? "" : `, of ${user} alone`}`}
          used={used}
          total={max}
        />
      ))}
    </Panel>
  );
}

const mostMembers = 200;

function Members({ organisation: { spec } }: { organisation: Organisation }) {
  const { members = [] } = spec;
  return (
    <Panel title="Members" note={plural(members.length, "member")}>
      {members.length === 0 && <Empty>No members yet.</Empty>}
      <table class="table">
        <tbody>
          {members.slice(0, mostMembers).map(({ user, isAdmin, isDenied }) => (
            <tr key={user}>
              <td>{user}</td>
              <td class="muted">{isAdmin === true ? "administrator" : "member"}</td>
              <td class="right">
                {isDenied === true && <StateIcon look={{ tone: "paused", word: "Denied" }} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {members.length > mostMembers && (
        <p class="panel-body muted small">The first {mostMembers} are shown.</p>
      )}
    </Panel>
  );
}
