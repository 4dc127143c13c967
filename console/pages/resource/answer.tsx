// Why the resource is not ready, as the first thing on its page.

import { runAction } from "../../actions/run.ts";
import { actionNamed, whyOff } from "../../actions/table.ts";
import type { Subject } from "../../actions/action.ts";
import { kindOf } from "../../api/kinds.ts";
import type { Explanation } from "../../api/types.ts";
import { CauseBanner } from "../../components/cause-banner.tsx";
import { paths } from "../../paths.ts";
import { whyLook } from "../../states/states.ts";
import { Button } from "../../ui/button.tsx";
import { sentence } from "../../ui/notice.tsx";
import { causeTitle } from "./cause-title.ts";
import type { Viewed } from "./resource-page.tsx";

interface AnswerProps {
  readonly viewed: Viewed;
  readonly why: Explanation | undefined;
  readonly subject: Subject | undefined;
}

export function Answer({ viewed, why, subject }: AnswerProps) {
  if (why === undefined || why.ready) return null;
  const { resource, causes = [] } = why;
  if (resource.state === "Unhandled") return null;
  const [cause] = causes;
  const isOther = cause !== undefined && !isSame(cause, viewed);
  const tone = whyLook(resource.state).tone;
  const details = isOther
    ? [`${cause.kind}/${cause.name}: ${cause.message}`, ...(cause.details ?? [])]
    : (resource.details ?? []);
  return (
    <CauseBanner
      tone={isOther && tone !== "progressing" ? "failed" : tone}
      title={causeTitle(why.summary, viewed)}
      actions={isOther ? <OtherActions cause={cause} /> : <OwnActions subject={subject} />}
    >
      {details.map((detail) => (
        <p key={detail}>{sentence(detail)}</p>
      ))}
    </CauseBanner>
  );
}

type Cause = NonNullable<Explanation["causes"]>[number];

function isSame(cause: Cause, { kind, namespace, name }: Viewed): boolean {
  return cause.kind === kind.kind && cause.name === name && (cause.namespace ?? "") === namespace;
}

function OtherActions({ cause }: { cause: Cause }) {
  const kind = kindOf(cause.apiVersion, cause.kind);
  if (kind === undefined) return null;
  const { namespace = "", name } = cause;
  const isMissing = cause.message === "does not exist";
  const subject: Subject = { kind, namespace, name };
  const reconcile = actionNamed("reconcile");
  if (isMissing) {
    return <Button href={paths.create(kind.id, { ns: namespace, name })}>Create {name}</Button>;
  }
  return (
    <>
      <Button href={paths.resource({ kind: kind.id, namespace, name })}>Open {name}</Button>
      {reconcile !== undefined && (
        <Button
          off={whyOff(reconcile, subject)}
          onClick={() => void runAction(reconcile, [subject])}
        >
          Reconcile {name}
        </Button>
      )}
    </>
  );
}

function OwnActions({ subject }: { subject: Subject | undefined }) {
  if (subject === undefined) return null;
  const action = actionNamed(subject.isPaused === true ? "resume" : "reconcile");
  if (action === undefined) return null;
  return (
    <Button off={whyOff(action, subject)} onClick={() => void runAction(action, [subject])}>
      {action.label}
    </Button>
  );
}
