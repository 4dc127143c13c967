import { kindNamed } from "../../api/kinds.ts";
import type { Row } from "../../api/types.ts";
import { organisationOf } from "../../api/fleet.ts";
import { listTitle, RowsPanel } from "../../components/rows-panel.tsx";
import { StateIcon } from "../../components/state.tsx";
import { useRows } from "../../components/use-rows.ts";
import { paths } from "../../paths.ts";
import { LiveTable } from "../../table/live-table.tsx";
import type { Column } from "../../table/live-table.tsx";
import { Empty } from "../../ui/notice.tsx";
import { instanceLook } from "./looks.ts";

interface ClusterInstancesProps {
  readonly kindId: string;
  readonly offering: string;
  readonly cluster: string;
}

/** The instances that are placed on a cluster. */
export function ClusterInstances(props: ClusterInstancesProps) {
  const { kindId, offering, cluster } = props;
  const rows = useRows({
    kind: kindId,
    filter: `columns.cluster=${JSON.stringify(cluster)}`,
    sort: "columns.status,name",
  });
  const kind = kindNamed(kindId);
  if (kind === undefined) return null;
  const label = `${kind.kind} on ${cluster}`;
  return (
    <>
      <h2>{label}</h2>
      <RowsPanel
        label={label}
        rows={rows}
        errorTitle={listTitle(kind, rows.error, "")}
        empty={<Empty>No {kind.kind} is placed here.</Empty>}
        table={(held) => (
          <LiveTable<Row>
            label={label}
            rows={held.rows}
            columns={columnsOf(offering)}
            keyOf={({ uid }) => uid}
            nameOf={({ name }) => name}
            hrefOf={({ namespace = "", name }) => paths.fleetInstance(offering, namespace, name)}
            isMuted={({ uid }) => held.muted.has(uid)}
            onEnd={rows.next === undefined ? undefined : rows.loadMore}
          />
        )}
      />
    </>
  );
}

const text = ({ columns }: Row, key: string): string => String(columns[key] ?? "");

function columnsOf(offering: string): readonly Column<Row>[] {
  return [
    {
      id: "phase",
      title: "State",
      width: "150px",
      value: (row) => text(row, "status"),
      render: (row) => <StateIcon look={instanceLook(text(row, "status"))} />,
    },
    {
      id: "name",
      title: "Instance",
      render: ({ namespace = "", name }) => (
        <a class="strong mono" href={paths.fleetInstance(offering, namespace, name)} title={name}>
          {name}
        </a>
      ),
    },
    {
      id: "organisation",
      title: "Organisation",
      isWide: true,
      render: ({ namespace = "" }) => organisationOf(namespace),
    },
    { id: "type", title: "Type", isWide: true, render: (row) => text(row, "type") },
    {
      id: "version",
      title: "Version",
      isWide: true,
      value: (row) => text(row, "version"),
      render: (row) => <span class="mono small">{text(row, "version")}</span>,
    },
  ];
}
