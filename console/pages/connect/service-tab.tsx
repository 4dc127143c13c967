import type { ComponentChildren } from "preact";
import type { Connection } from "../../api/connect.ts";
import { ConditionsPanel } from "../../components/conditions-panel.tsx";
import { paths } from "../../paths.ts";
import { Facts, Panel } from "../../ui/panel.tsx";
import type { TabProps } from "./connection-page.tsx";

/** Where the service is, and how it is called. Secrets are named, and never read. */
export function ServiceTab({ connection }: TabProps) {
  return (
    <div class="columns">
      <Panel title="Service">
        <Facts facts={factsOf(connection)} />
      </Panel>
      <ConditionsPanel document={connection} />
    </div>
  );
}

function factsOf({ spec }: Connection): readonly (readonly [string, ComponentChildren])[] {
  const { baseUrl, auth, tls, rate, breaker = {}, namespaces = [], events } = spec;
  const secret = auth?.secret;
  const place = spec.secretNamespace ?? "";
  return [
    ["Base URL", <code key="url">{baseUrl}</code>],
    ["Signs in by", auth?.kind ?? "none"],
    [
      "Credentials",
      secret === undefined ? (
        "none"
      ) : (
        <a key="secret" class="link" href={paths.resource(addressOf(place, secret))}>
          Secret/{secret}
        </a>
      ),
    ],
    ["Client TLS", tls?.secret === undefined ? "no certificate" : `Secret/${tls.secret}`],
    ["Requests", `${spec.concurrency ?? 16} at once, ${rateText(rate)}`],
    ["Timeout", `${spec.timeoutSeconds ?? 30} s`],
    ["Breaker", `after ${breaker.failures ?? 5} failures, for ${breaker.openSeconds ?? 5} s`],
    ["Namespaces", namespaces.length === 0 ? "all" : namespaces.join(", ")],
    ["Events", events === undefined ? "the service sends none" : (events.websocket ?? events.id)],
  ];
}

function addressOf(namespace: string, name: string) {
  return { kind: "secrets", namespace, name };
}

function rateText(rate: Connection["spec"]["rate"]): string {
  return rate === undefined ? "no rate limit" : `${rate.perSecond} per second`;
}
