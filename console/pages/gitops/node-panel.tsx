// The object that is selected in the tree.

import { childrenOf } from "../../actions/children.ts";
import { deploymentsKind } from "../../api/gitops.ts";
import type { Deployment, SeenObject } from "../../api/gitops.ts";
import { kindOf } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { kube } from "../../api/kube.ts";
import { StateIcon } from "../../components/state.tsx";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { Button } from "../../ui/button.tsx";
import { sentence } from "../../ui/notice.tsx";
import { Facts, Panel } from "../../ui/panel.tsx";
import { healthLook, objectLook, syncLook } from "./looks.ts";

interface NodeProps {
  readonly object: SeenObject;
  readonly deployment: Deployment;
}

export function NodePanel({ object, deployment }: NodeProps) {
  const { kind = "", name = "", namespace = "", status, health, message } = object;
  const served = servedKind(object, deployment);
  const why = health?.message ?? message;
  return (
    <Panel title={name} side={<StateIcon look={objectLook(object)} />}>
      <Facts
        facts={[
          ["Kind", kind],
          ...(namespace === "" ? [] : [["Namespace", namespace] as const]),
          ["Sync", <StateIcon key="sync" look={syncLook(status)} />],
          [
            "Health",
            health?.status === undefined ? (
              <span class="muted">no rule for this kind</span>
            ) : (
              <StateIcon key="health" look={healthLook(health.status)} />
            ),
          ],
        ]}
      />
      {why !== undefined && why !== "" && <p class="panel-body node-message">{sentence(why)}</p>}
      {served !== undefined && <Here object={object} kind={served} />}
    </Panel>
  );
}

/** Objects of another cluster are not resources of this server. */
function servedKind(
  { group = "", version = "", kind = "" }: SeenObject,
  { spec }: Deployment,
): KindInfo | undefined {
  if ((spec.destination?.environment ?? "") !== "") return undefined;
  return kindOf(group === "" ? version : `${group}/${version}`, kind);
}

function Here({ object, kind }: { object: SeenObject; kind: KindInfo }) {
  const { namespace = "", name = "" } = object;
  const place = { namespace: kind.isNamespaced ? namespace : "", name };
  const { data } = useQuery(
    `owned ${kind.id} ${place.namespace} ${name}`,
    async (signal) => {
      const { metadata } = await kube.get(kind, place, signal);
      return await childrenOf({ kind, ...place, uid: metadata.uid ?? "" }, signal);
    },
    { live: (change) => change.namespace === namespace },
  );
  const owned = data ?? [];
  return (
    <>
      {owned.length > 0 && (
        <ul class="owned" aria-label={`What ${name} owns`}>
          {owned.map(({ apiVersion, kind: word, metadata }) => {
            const id = kindOf(apiVersion, word)?.id;
            const label = `${word}/${metadata.name}`;
            return (
              <li key={metadata.uid}>
                <span class="muted">owns </span>
                {id === undefined ? (
                  label
                ) : (
                  <a
                    class="link"
                    href={paths.resource({ kind: id, namespace, name: metadata.name })}
                  >
                    {label}
                  </a>
                )}
              </li>
            );
          })}
        </ul>
      )}
      <p class="panel-body row">
        {kind.id === deploymentsKind && (
          <Button href={paths.deployment(namespace, name)}>Open the deployment</Button>
        )}
        <Button href={paths.resource({ kind: kind.id, ...place })}>Open the resource</Button>
        <Button look="link" href={paths.resource({ kind: kind.id, ...place }, "why")}>
          Why is it so
        </Button>
      </p>
    </>
  );
}
