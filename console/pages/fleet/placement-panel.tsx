// Why an instance is on its cluster, and what is against each other cluster of its region. The
// server gives the reasons; they are those of the moment of the placement.

import type { Instance } from "../../api/fleet.ts";
import { StateIcon } from "../../components/state.tsx";
import { plural } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import { Icon } from "../../ui/icon.tsx";
import { Empty, sentence } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";

export function PlacementPanel({ instance: { spec, status = {} } }: { instance: Instance }) {
  const { placement = {}, leaving = [] } = status;
  const { cluster, why = [], at, attempts = 0 } = placement;
  const chosen = why.find((each) => each.cluster === cluster);
  const rejected = why.filter((each) => each.cluster !== cluster);
  return (
    <Panel
      title="Placement"
      note={
        at === undefined ? undefined : (
          <>
            <Time at={at} />
            {attempts > 1 && `, placed ${plural(attempts, "time")}`}
          </>
        )
      }
    >
      {cluster === undefined && why.length === 0 && (
        <Empty>No cluster was considered yet. There may be none in its region.</Empty>
      )}
      <ul class="placement">
        {cluster !== undefined && (
          <li class="placement-chosen">
            <StateIcon look={{ tone: "ready", word: "Chosen" }} />
            <ClusterLink name={cluster} />
            <span>{chosen === undefined ? "" : sentence(chosen.reason)}</span>
          </li>
        )}
        {rejected.map(({ cluster: name, reason }) => (
          <li key={name}>
            <span class="state muted">
              <Icon name="close" />
              Rejected
            </span>
            <ClusterLink name={name} />
            <span class="muted">{sentence(reason)}</span>
          </li>
        ))}
        {leaving.map((name) => (
          <li key={`leaving ${name}`}>
            <StateIcon look={{ tone: "deleting", word: "Leaving" }} />
            <ClusterLink name={name} />
            <span class="muted">It is removed from this cluster.</span>
          </li>
        ))}
      </ul>
      {spec.cluster !== undefined && (
        <p class="panel-body muted small">
          An administrator assigned it to <b>{spec.cluster}</b>.
        </p>
      )}
    </Panel>
  );
}

function ClusterLink({ name }: { name: string }) {
  return (
    <a class="strong mono" href={paths.fleetItem("clusters", name)}>
      {name}
    </a>
  );
}
