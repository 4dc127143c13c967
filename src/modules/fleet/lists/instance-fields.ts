// The fields of instances that lists are searched and sorted by, read from the rows of the read
// model. A row has the columns of the kind of the instances: see kinds/instance-kind.ts.

import type { Column, Row } from "../../../intents/read-model/row.ts";
import { shownPhase } from "../api/shown-phase.ts";
import { organisationOf } from "../names.ts";
import type { Offering } from "../offering.ts";
import { instanceHref } from "../api/hrefs.ts";
import type { TextOf } from "./search.ts";

/** In the order in which errors list them. */
const orderFields = [
  "cloud_provider",
  "cluster_id",
  "created_at",
  "host",
  "href",
  "id",
  "instance_type",
  "multi_az",
  "name",
  "organisation_id",
  "owner",
  "region",
  "status",
  "updated_at",
  "version",
] as const;

type FieldName = (typeof orderFields)[number];

const searchFields: readonly FieldName[] = [
  "name",
  "region",
  "cloud_provider",
  "status",
  "owner",
  "instance_type",
  "cluster_id",
];

export interface InstanceFields {
  readonly search: ReadonlyMap<string, TextOf<Row>>;
  readonly order: ReadonlyMap<string, TextOf<Row>>;
}

export function instanceFields(offering: Offering, columns: readonly Column[]): InstanceFields {
  const cell = (key: string): TextOf<Row> => {
    const at = columns.findIndex((column) => column.key === key);
    return (row) => String(row.cells[at] ?? "");
  };
  const id = cell("id");
  const phase = cell("status");
  const readers: Readonly<Record<FieldName, TextOf<Row>>> = {
    cloud_provider: cell("provider"),
    cluster_id: cell("cluster"),
    created_at: ({ created }) => created,
    host: cell("host"),
    href: (row) => instanceHref(offering, id(row)),
    id,
    instance_type: cell("type"),
    multi_az: cell("multi-az"),
    name: ({ name }) => name,
    organisation_id: ({ namespace }) => organisationOf(namespace) ?? "",
    owner: cell("owner"),
    region: cell("region"),
    status: (row) => shownPhase(phase(row), row.state === "Deleting"),
    updated_at: cell("updated"),
    version: cell("version"),
  };
  const mapOf = (names: readonly FieldName[]): ReadonlyMap<string, TextOf<Row>> =>
    new Map(names.map((name) => [name, readers[name]]));
  return { search: mapOf(searchFields), order: mapOf(orderFields) };
}
