// The section `bus` of the configuration. Without `url` the broker is inside the process.

import type { ConfigurationField, ConfigurationSection } from "../../contract/configuration.ts";
import { busLimits } from "./limits.ts";

export interface BusConfiguration {
  /** Undefined: the broker is inside the process. */
  readonly url?: string;
  readonly credentialsFile?: string;
  readonly credentialsSecret?: string;
  readonly tlsAuthorities?: string;
  readonly tlsCertificate?: string;
  readonly tlsKey?: string;
  readonly serverName?: string;
  readonly eventsExchange: string;
  readonly commandsExchange: string;
  readonly commandsQueue: string;
  readonly deadLetterExchange: string;
  readonly deadLetterQueue: string;
  readonly source?: string;
  readonly kinds: readonly string[];
  readonly users: readonly string[];
  readonly replyQueues: readonly string[];
  readonly prefetch: number;
  readonly deliveryLimit: number;
  readonly holdHours: number;
}

const fields: Readonly<Record<keyof BusConfiguration, ConfigurationField>> = {
  url: {
    type: "text",
    summary: "amqp://HOST:PORT/VHOST or amqps://...; without user and password",
    option: "--bus-url <url>",
    variable: "SETPOINT_BUS_URL",
    problem: urlProblem,
    suggestion: "write for example amqps://rabbit.example:5671/setpoint",
  },
  credentialsFile: {
    type: "path",
    summary: "a file with the user name in its first line and the password in its second",
  },
  credentialsSecret: {
    type: "text",
    summary: "NAMESPACE/NAME of a Secret with the keys username and password",
    problem: (value) =>
      isText(value, /^[^/\s]+\/[^/\s]+$/) ? undefined : "must be NAMESPACE/NAME of a Secret",
  },
  tlsAuthorities: { type: "path", summary: "PEM file of the authorities that sign the broker" },
  tlsCertificate: { type: "path", summary: "PEM file of a client certificate" },
  tlsKey: { type: "path", summary: "PEM file of the key of the client certificate" },
  serverName: { type: "text", summary: "the name in the certificate, where it is not the host" },
  eventsExchange: name("the topic exchange of events", "setpoint.events"),
  commandsExchange: name("the topic exchange of commands", "setpoint.commands"),
  commandsQueue: name("the quorum queue of commands", "setpoint.commands.v1"),
  deadLetterExchange: name("the topic exchange of dead letters", "setpoint.dlx"),
  deadLetterQueue: name("the quorum queue of dead letters", "setpoint.dead"),
  source: { type: "text", summary: "`source` of events; default: an id of this store" },
  kinds: {
    type: "texts",
    summary:
      "kinds whose changes are events: PLURAL.GROUP, *.GROUP or *, and !PLURAL.GROUP for none",
    default: [
      "*.environments.setpoint.dev",
      "*.gitops.setpoint.dev",
      // Records of the server, which change with every sync.
      "!gitsources.gitops.setpoint.dev",
      "!inventories.gitops.setpoint.dev",
      "!operations.gitops.setpoint.dev",
      "!syncbundles.gitops.setpoint.dev",
    ],
    problem: (value) =>
      allTexts(value, kindPattern) ? undefined : "must be a list of PLURAL.GROUP, *.GROUP or *",
  },
  users: {
    type: "texts",
    summary: "users of the broker that may send commands: BROKER-USER=USER",
    default: [],
    problem: (value) =>
      allTexts(value, /^[^=]+=.+$/) ? undefined : "must be a list of BROKER-USER=USER",
    suggestion: "write for example orders=system:serviceaccount:shop:orders",
  },
  replyQueues: {
    type: "texts",
    summary: "what the names of queues for replies begin with",
    default: ["amq.rabbitmq.reply-to", "amq.gen-", "setpoint.replies."],
  },
  prefetch: count("commands in progress at once", busLimits.defaultPrefetch, busLimits.maxPrefetch),
  deliveryLimit: count(
    "deliveries of a command after the first",
    busLimits.defaultDeliveryLimit,
    1_000,
  ),
  holdHours: count(
    "hours that unpublished history is kept beyond `history`",
    busLimits.defaultHoldHours,
    busLimits.maxHoldHours,
  ),
};

export const busSection: ConfigurationSection = { key: "bus", fields };

/** Of a server without the section. */
export const defaultConfiguration = Object.fromEntries(
  Object.entries(fields).flatMap(([key, field]) =>
    field.default === undefined ? [] : [[key, field.default]],
  ),
) as unknown as BusConfiguration;

const kindPattern = /^(?:\*|\*\.[a-z0-9.-]+|!?[a-z0-9-]+(?:\.[a-z0-9.-]+)?)$/;

function isText(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value);
}

function allTexts(value: unknown, pattern: RegExp): boolean {
  return Array.isArray(value) && value.every((each) => isText(each, pattern));
}

function urlProblem(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : "";
  // The value is not repeated: it may contain a password.
  if (!URL.canParse(text)) return "is not a URL";
  const { protocol, username, password, hostname, search, hash } = new URL(text);
  if (!["amqp:", "amqps:"].includes(protocol) || hostname === "") {
    return "must begin with amqp:// or amqps:// and a host";
  }
  if (username !== "" || password !== "") {
    return "must not contain credentials: use credentialsFile or credentialsSecret";
  }
  return search === "" && hash === "" ? undefined : "must not have a query or a fragment";
}

function name(summary: string, defaultName: string): ConfigurationField {
  return {
    type: "text",
    summary,
    default: defaultName,
    problem: (value) =>
      isText(value, /^(?!amq\.)[\w.:-]{1,127}$/)
        ? undefined
        : "must be 1 to 127 letters, digits or . _ : - and not begin with amq.",
  };
}

function count(summary: string, defaultCount: number, most: number): ConfigurationField {
  return {
    type: "number",
    summary,
    default: defaultCount,
    problem: (value) =>
      Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most
        ? undefined
        : `must be a whole number from 1 to ${most}`,
  };
}
