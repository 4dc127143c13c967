// One operation: what it needs, what it answers, and how to call it.

import type { ComponentChildren } from "preact";
import { CommandLine } from "../../components/command-line.tsx";
import { paths } from "../../paths.ts";
import { Panel } from "../../ui/panel.tsx";
import { commandMessage, curlCommand } from "./command.ts";
import type { Answer, ApiDocument, Body, Operation, Parameter } from "./document.ts";
import { Method } from "./operation-list.tsx";
import { Meaning, RichText } from "./rich-text.tsx";
import { ruleText, typeText } from "./schema.ts";
import { SchemaFields } from "./schema-fields.tsx";
import type { ApiSurface } from "./surfaces.ts";
import type { JsonRecord } from "../../api/types.ts";

interface OperationProps {
  readonly surface: ApiSurface;
  readonly document: ApiDocument;
  readonly operation: Operation;
  /** Of the search that led here. */
  readonly words: string;
}

export function OperationView({ surface, document, operation, words }: OperationProps) {
  const { method, path, summary, description, command, isDeprecated } = operation;
  const isCommands = surface.isCommands === true;
  const back = paths.reference({ surface: surface.id, q: words || undefined });
  return (
    <article class="stack" aria-labelledby="operation">
      <header class="operation-head">
        <a class="link small" href={back}>
          {words === "" ? `All of ${surface.label}` : `Results for ${words}`}
        </a>
        <h2 id="operation" class="operation-title">
          {isCommands ? (
            <span class="mono">{command}</span>
          ) : (
            <>
              <Method method={method} /> <span class="mono">{path}</span>
            </>
          )}
        </h2>
        <p>
          {isDeprecated && <b>Deprecated. </b>}
          <RichText text={summary} />
        </p>
        {description !== "" && (
          <p class="muted">
            <RichText text={description} />
          </p>
        )}
        {command !== undefined && (
          <p class="muted">
            {isCommands ? (
              <>
                The same as{" "}
                <a class="link mono" href={paths.reference({ surface: "rest", op: operation.id })}>
                  {operation.id}
                </a>
              </>
            ) : (
              <>
                On the message bus:{" "}
                <a class="link mono" href={paths.reference({ surface: "bus", op: operation.id })}>
                  {command}
                </a>
              </>
            )}
          </p>
        )}
      </header>
      <Parameters root={document.root} parameters={operation.parameters} />
      {operation.bodies.length > 0 && (
        <Panel title="Request body" note={typesOf(operation.bodies)}>
          <Bodies root={document.root} bodies={operation.bodies} />
        </Panel>
      )}
      {isCommands ? (
        <Panel title="Message" note={`type ${command ?? ""}`} isPadded>
          <CommandLine text={commandMessage(document, operation)} />
        </Panel>
      ) : (
        <Panel title="Call" isPadded>
          <CommandLine text={curlCommand(serverUrl(), operation)} />
        </Panel>
      )}
      <Answers root={document.root} answers={operation.answers} />
    </article>
  );
}

/** The listener without TLS accepts no tokens. */
function serverUrl(): string {
  const { origin, protocol } = window.location;
  return protocol === "https:" ? origin : "$SERVER";
}

function typesOf(bodies: readonly Body[]): string {
  return bodies.map(({ type }) => type).join(", ");
}

interface ParametersProps {
  readonly root: JsonRecord;
  readonly parameters: readonly Parameter[];
}

function Parameters({ root, parameters }: ParametersProps) {
  if (parameters.length === 0) return null;
  return (
    <Panel title="Parameters">
      <dl class="fields">
        {parameters.map(({ name, place, isRequired, description, schema }) => (
          <div key={`${place} ${name}`} class="field-line">
            <dt>
              <code>{name}</code>
              <span class="muted small">
                {place}, {typeText(root, schema)}
              </span>
              {isRequired && <span class="required small">required</span>}
            </dt>
            <dd class="muted">
              <Meaning description={description} rules={ruleText(root, schema)} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

/** Formats with one schema are one body. */
function Bodies({ root, bodies }: { root: JsonRecord; bodies: readonly Body[] }) {
  const schemas = new Map(bodies.map(({ schema }) => [JSON.stringify(schema), schema]));
  return (
    <>
      {[...schemas].map(([key, schema]) => (
        <SchemaFields key={key} root={root} schema={schema} />
      ))}
    </>
  );
}

interface AnswersProps {
  readonly root: JsonRecord;
  readonly answers: readonly Answer[];
}

function Answers({ root, answers }: AnswersProps): ComponentChildren {
  return (
    <Panel title="Responses">
      {answers.map(({ status, description, bodies }) => (
        <section key={status} class="answer">
          <h3 class="row">
            <span class={`mono ${/^[45]/.test(status) ? "t-failed" : "t-ready"}`}>{status}</span>
            <span class="answer-text">
              <RichText text={description} />
            </span>
            <span class="muted small end">{typesOf(bodies)}</span>
          </h3>
          <Bodies root={root} bodies={bodies} />
        </section>
      ))}
    </Panel>
  );
}
