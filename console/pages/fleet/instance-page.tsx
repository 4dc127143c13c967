// One instance: where it is in its life, why it is on its cluster, and what can be done with it.

import { subjectOfInstance } from "../../actions/instance-actions.ts";
import { instanceKindOf, organisationOf } from "../../api/fleet.ts";
import type { Instance } from "../../api/fleet.ts";
import { kinds } from "../../api/kinds.ts";
import { CauseBanner } from "../../components/cause-banner.tsx";
import { ConditionsPanel } from "../../components/conditions-panel.tsx";
import { useSelected } from "../../components/selected.ts";
import { StateIcon } from "../../components/state.tsx";
import { paths } from "../../paths.ts";
import type { PageProps } from "../../routes.tsx";
import { Empty, ErrorPanel, sentence, Skeleton } from "../../ui/notice.tsx";
import { Facts, Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { instanceAnswer } from "./headline.ts";
import { ItemButtons } from "./item-buttons.tsx";
import { LifeLane } from "./life-lane.tsx";
import { instanceLook } from "./looks.ts";
import { PlacementPanel } from "./placement-panel.tsx";
import { useItem } from "./use-item.ts";
import { versionsText } from "./versions-text.ts";
import { useOfferings } from "./use-offerings.ts";
import "./fleet.css";

export function InstancePage({ params }: PageProps) {
  const { offering: wanted = "", namespace = "", name = "" } = params;
  const offerings = useOfferings();
  const offering = offerings.data?.items.find(({ metadata }) => metadata.name === wanted);
  const kindId = offering === undefined ? undefined : instanceKindOf(offering);
  const { data, error, refetch, kind } = useItem<Instance>(kindId, namespace, name);
  const subject =
    kind === undefined || data === undefined ? undefined : subjectOfInstance(kind, data);
  useSelected(subject);
  if (kinds.value === undefined || offerings.isLoading) return <Skeleton lines={8} />;
  if (offerings.data !== undefined && kind === undefined) {
    return <Empty>There is no offering {wanted} on this server.</Empty>;
  }
  if (data === undefined || subject === undefined) {
    const why = error ?? offerings.error;
    return why === undefined ? (
      <Skeleton lines={8} />
    ) : (
      <ErrorPanel error={why} onRetry={refetch} />
    );
  }
  const answer = instanceAnswer(data);
  return (
    <div class="stack fleet">
      <header>
        <div class="row resource-title">
          <h1>{name}</h1>
          <StateIcon look={instanceLook(data.status?.phase)} isChip />
          <ItemButtons
            subject={subject}
            inRow={["instance-suspend", "instance-resume", "instance-move"]}
          />
        </div>
        <Summary instance={data} service={offering?.spec.displayName ?? wanted} />
      </header>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {answer !== undefined && (
        <CauseBanner tone={answer.tone} title={titleOf(answer.title)}>
          {answer.text !== undefined && answer.text !== "" && <p>{sentence(answer.text)}</p>}
        </CauseBanner>
      )}
      <LifeLane instance={data} />
      <div class="columns">
        <div class="stack">
          <PlacementPanel instance={data} />
          <Children instance={data} namespace={namespace} />
        </div>
        <div class="stack">
          <FactsPanel instance={data} />
          <ConditionsPanel document={data} />
        </div>
      </div>
    </div>
  );
}

function Summary({ instance, service }: { instance: Instance; service: string }) {
  const { metadata, spec, status = {} } = instance;
  const organisation = organisationOf(metadata.namespace ?? "");
  return (
    <p class="muted">
      {service} {spec.type} of{" "}
      <a class="link" href={paths.fleetItem("organisations", organisation)}>
        {organisation}
      </a>
      , owned by {spec.owner ?? "no user"}
      {status.host !== undefined && status.host !== "" && (
        <>
          , at <span class="mono">{status.host}</span>
        </>
      )}
      .
    </p>
  );
}

/** The reason of a failure is a sentence of the server. */
function titleOf(text: string): string {
  return sentence(text).replace(/\.$/, "");
}

function FactsPanel({ instance: { spec, status = {} } }: { instance: Instance }) {
  const upgrading = Object.entries(status.upgrading ?? {}).filter(([, isOn]) => isOn);
  return (
    <Panel title="Instance">
      <Facts
        facts={[
          ["Id", <span class="mono small">{spec.id ?? ""}</span>],
          ["Region", `${spec.region ?? ""} ${spec.cloudProvider ?? ""}`],
          ["Zones", spec.multiAz === true ? "several" : "one"],
          ["Runs", <span class="mono">{versionsText(status.actualVersions) || "–"}</span>],
          [
            "Wanted",
            <span class="mono">
              {versionsText({ ...status.desiredVersions, ...spec.versions }) || "–"}
            </span>,
          ],
          ...(upgrading.length === 0
            ? []
            : [["Upgrading", upgrading.map(([component]) => component).join(", ")] as const]),
          ["Expires", spec.expiresAt === undefined ? "never" : <Time at={spec.expiresAt} />],
          ["Quota", status.quota?.state ?? "counted here"],
          ["Traits", (spec.traits ?? []).join(", ") || "none"],
        ]}
      />
    </Panel>
  );
}

/** What it is reached by, and what was prepared for it. */
function Children({ instance, namespace }: { instance: Instance; namespace: string }) {
  const { routes = [], preparations = [] } = instance.status ?? {};
  if (routes.length + preparations.length === 0) return null;
  return (
    <>
      {routes.length > 0 && (
        <Panel title="Routes">
          <table class="table">
            <tbody>
              {routes.map(({ domain, router }) => (
                <tr key={domain}>
                  <td class="mono small">{domain}</td>
                  <td class="mono small muted">to {router}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
      )}
      {preparations.length > 0 && (
        <Panel title="Preparations">
          <table class="table">
            <tbody>
              {preparations.map(({ preparation = "", kind = "", name = "" }) => (
                <tr key={`${preparation} ${name}`}>
                  <td>{preparation}</td>
                  <td>
                    <a class="link mono small" href={paths.resource({ kind, namespace, name })}>
                      {kind}/{name}
                    </a>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
      )}
    </>
  );
}
