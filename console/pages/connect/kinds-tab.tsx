// The kinds that are kept in the service: their requests, and what is known of their fields.

import type { FieldRule, RestKind } from "../../api/connect.ts";
import { kindNamed } from "../../api/kinds.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { StateIcon } from "../../components/state.tsx";
import { countText, plural } from "../../format/number.ts";
import { paths, withQuery } from "../../paths.ts";
import { navigate, place } from "../../router/location.ts";
import { CauseBanner } from "../../components/cause-banner.tsx";
import { Empty, sentence } from "../../ui/notice.tsx";
import { Facts, Panel } from "../../ui/panel.tsx";
import type { TabProps } from "./connection-page.tsx";
import { KindList } from "./kind-list.tsx";
import { conditionOf, restKindLook, sourceText } from "./looks.ts";

export function KindsTab({ connection, restKinds, query }: TabProps) {
  const wanted = query.get("kind");
  const shown = restKinds.find(({ metadata }) => metadata.name === wanted) ?? restKinds[0];
  if (shown === undefined) {
    return (
      <section class="panel">
        <Empty>
          No kind is kept in {connection.metadata.name}. An import of the OpenAPI document of the
          service proposes kinds.
        </Empty>
      </section>
    );
  }
  return (
    <div class="connect-columns">
      <KindList restKinds={restKinds} current={shown.metadata.name} />
      <KindDetail key={shown.metadata.name} restKind={shown} words={query.get("q") ?? ""} />
    </div>
  );
}

const mostFields = 200;

function KindDetail({ restKind, words }: { restKind: RestKind; words: string }) {
  const { metadata, spec } = restKind;
  const { fields = [] } = spec;
  const accepted = conditionOf(restKind, "Accepted");
  const found = fields.filter((field) => isWanted(field, words));
  const served = kindNamed(metadata.name);
  return (
    <div class="stack">
      {accepted?.status === "False" && (
        <CauseBanner tone="failed" title={`Not in force: ${accepted.reason ?? ""}`}>
          <p>{sentence(accepted.message ?? "")}</p>
        </CauseBanner>
      )}
      <Panel
        title={served?.kind ?? metadata.name}
        note={metadata.name}
        side={
          <span class="row">
            <StateIcon look={restKindLook(restKind)} />
            <a class="link" href={paths.kind(metadata.name)}>
              Resources
            </a>
          </span>
        }
      >
        <Facts facts={factsOf(restKind)} />
      </Panel>
      <Panel
        title="Field rules"
        note={`${plural(fields.length, "field")} of another class than writable`}
      >
        {fields.length === 0 ? (
          <Empty>Every field can be set and changed.</Empty>
        ) : (
          <>
            <div class="panel-body">
              <FilterBar
                label="Filter fields"
                placeholder="/spec/name, secret, guessed"
                value={words}
                onChange={(q) => navigate(withQuery(place.peek().href, { q }), { replace: true })}
              />
            </div>
            {found.length === 0 && <Empty>No field contains {words}.</Empty>}
            {found.length > 0 && <Fields fields={found.slice(0, mostFields)} />}
            {found.length > mostFields && (
              <p class="muted small panel-body">
                and {countText(found.length - mostFields)} more. Filter to find others.
              </p>
            )}
          </>
        )}
      </Panel>
    </div>
  );
}

function factsOf({ metadata, spec }: RestKind): Parameters<typeof Facts>[0]["facts"] {
  const { item = "", collection = "", identity, operations = {} } = spec;
  const guess = identity?.confidence;
  const id = [identity?.kind, identity?.field ?? identity?.parameter].filter(Boolean).join(": ");
  return [
    ["Object", <code key="item">{item || "the connection"}</code>],
    ...(collection === ""
      ? []
      : ([["Collection", <code key="collection">{collection}</code>]] as const)),
    [
      "Identity",
      guess === undefined ? id : `${id} (a guess, ${Math.round(guess * 100)} %: check it)`,
    ],
    [
      "Requests",
      Object.entries(operations)
        .flatMap(([name, operation]) => (operation ? [`${name} ${operation.method}`] : []))
        .join(", "),
    ],
    ["Read again", `every ${spec.resyncSeconds ?? 600} s`],
    [
      "Definition",
      <a
        key="definition"
        class="link"
        href={paths.resource(
          { kind: "restkinds.connect.setpoint.dev", namespace: "", name: metadata.name },
          "yaml",
        )}
      >
        RestKind/{metadata.name}
      </a>,
    ],
  ];
}

function isWanted(field: FieldRule, words: string): boolean {
  const { path, class: className, isSecret, from, confidence, why = "" } = field;
  const secret = isSecret === true ? "secret" : "";
  const all = `${path} ${className} ${secret} ${sourceText(from, confidence)} ${why}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

function Fields({ fields }: { fields: readonly FieldRule[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Class</th>
          <th scope="col">Known</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <FieldRow key={`${field.path} ${field.class}`} field={field} />
        ))}
      </tbody>
    </table>
  );
}

function FieldRow({ field }: { field: FieldRule }) {
  const { path, class: className, isSecret, secretFrom, isDefaulted, from, confidence } = field;
  const isGuess = from === "name";
  return (
    <tr>
      <td>
        <code>{path}</code>
      </td>
      <td>
        {className}
        {isSecret === true && (
          <span class="sub">
            secret{secretFrom === undefined ? "" : ", " + sourceText(secretFrom, undefined)}
          </span>
        )}
        {isDefaulted === true && <span class="sub">has a default of the service</span>}
      </td>
      <td>
        <span class={isGuess ? "t-waiting" : ""}>{sourceText(from, confidence)}</span>
        {field.why !== undefined && <span class="sub">{field.why}</span>}
      </td>
    </tr>
  );
}
