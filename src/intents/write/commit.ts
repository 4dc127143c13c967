// The last step of every write: the draft goes to the store under its precondition, and what the
// store says is put into the words of the API. When the server itself lives by the resource (a
// definition, a role, a namespace) the answer waits until this process has taken it in. A resource
// that is reconciled becomes due in the same commit, so that no accepted intent is forgotten.

import type { Draft } from "../../kernel/draft.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { SetpointError } from "../../kernel/errors.ts";
import type { Cause } from "../../kernel/cause.ts";
import { heldFaultIn } from "../../kernel/held-fault.ts";
import { textAt } from "../../kernel/json-read.ts";
import { keyText } from "../../kernel/resource.ts";
import type {
  Answer,
  ClaimRef,
  CounterBound,
  CounterUse,
  Delete,
  Precondition,
  Put,
  UniqueName,
  Write,
} from "../../store/port.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import { alreadyExists, conflict, notFound, overQuota } from "../refusals.ts";
import { keyOfTarget } from "../request.ts";
import type { Beside, Intents, Target, Written } from "../request.ts";

export interface PutInput {
  readonly target: Target;
  readonly uid: string;
  readonly draft: Draft;
  readonly when: Precondition;
  readonly cause: Cause;
  readonly uses?: readonly CounterUse[] | undefined;
  readonly bounds?: readonly CounterBound[] | undefined;
  /** Checked inside the commit. */
  readonly claim?: ClaimRef | undefined;
  /** Committed with it or not at all, with the same cause. */
  readonly also?: readonly Write[] | undefined;
  readonly beside?: Beside | undefined;
  readonly names?: readonly UniqueName[] | undefined;
  /** The request that gave names, uses and bounds: its plugins may word their refusal. */
  readonly admitted?: AdmissionRequest | undefined;
}

/** May also occur in a value; then a run finds nothing to do. */
const deletionMark = Buffer.from('"deletionTimestamp"');
const dueNow = { kind: "wake", afterMs: 0 } as const;

export async function commitPut(intents: Intents, input: PutInput): Promise<Written> {
  const answer = await commitWith(intents, writeOf(input), input);
  return await writtenPut(intents, input, answer);
}

/** All of them in one commit, or none. */
export async function commitPuts(
  intents: Intents,
  inputs: readonly PutInput[],
): Promise<readonly Written[]> {
  const beside = inputs[0]?.beside;
  const records = besideWrites(beside, inputs[0]?.cause);
  const all = [...inputs.map(writeOf), ...records];
  const answers = await intents.store.commit(all, { atomic: true });
  noteStored(beside, records, all[0], answers[0]);
  // The one at fault tells why; the others are refused because of it.
  const faults = answers.map((answer) =>
    answer.kind === "refused" && answer.error.code !== "resource.group_refused" ? 0 : 1,
  );
  const order = [...inputs.keys()].sort((one, other) => (faults[one] ?? 1) - (faults[other] ?? 1));
  const written: Written[] = [];
  for (const at of order) {
    const [input, answer] = [inputs[at], answers[at]];
    if (input === undefined || answer === undefined) throw new Error("each write is answered");
    written[at] = await writtenPut(intents, input, answer);
  }
  return written;
}

function writeOf(input: PutInput): Put {
  const { target, uid, draft, when, cause, uses, bounds, claim, names } = input;
  return {
    kind: "put",
    key: keyOfTarget(target),
    uid,
    draft,
    when,
    cause,
    ...(uses === undefined ? {} : { uses }),
    ...(bounds === undefined ? {} : { bounds }),
    ...(claim === undefined ? {} : { claim }),
    ...(names === undefined ? {} : { names }),
    ...(isDue(input) ? { due: dueNow } : {}),
  };
}

/** A run that writes its own resource need not run again because of that. */
function isDue({ target, draft, when, claim }: PutInput): boolean {
  const { isReconciled, isDueAfter } = target.served;
  if (isReconciled) return true;
  if (isDueAfter === undefined) return false;
  if (claim !== undefined && keyText(claim.key) === keyText(keyOfTarget(target))) return false;
  const isDeleting = draft.body.includes(deletionMark);
  return isDueAfter({ isNew: when.kind === "absent", isDeleting });
}

async function writtenPut(
  intents: Intents,
  { target, draft, when, admitted }: PutInput,
  answer: Answer,
): Promise<Written> {
  if (answer.kind === "refused") {
    throw worded(intents, admitted, answer.error) ?? inWordsOfTheApi(target, answer.error);
  }
  const { revision } = answer;
  if (answer.kind === "committed") await settle(intents, target, revision);
  const changed = when.kind === "absent" ? "created" : "updated";
  const outcome = answer.kind === "unchanged" ? "unchanged" : changed;
  return { revision, body: draft.body, outcome };
}

export interface DeleteInput {
  readonly when: Precondition;
  readonly cause: Cause;
  readonly last: Draft;
  readonly claim?: ClaimRef | undefined;
  readonly also?: readonly Write[] | undefined;
  readonly beside?: Beside | undefined;
}

export async function commitDelete(
  intents: Intents,
  target: Target,
  { when, cause, last, claim, also, beside }: DeleteInput,
): Promise<Written> {
  const fence = claim === undefined ? {} : { claim };
  const write: Delete = { kind: "delete", key: keyOfTarget(target), when, cause, last, ...fence };
  const answer = await commitWith(intents, write, { also, beside });
  if (answer.kind === "refused") throw inWordsOfTheApi(target, answer.error);
  await settle(intents, target, answer.revision);
  return { revision: answer.revision, body: last.body, outcome: "deleted" };
}

/** The answer to the first of them. */
async function commitWith(
  { store }: Intents,
  write: Put | Delete,
  { also = [], beside }: Pick<PutInput, "also" | "beside">,
): Promise<Answer> {
  const { cause } = write;
  const records = besideWrites(beside, cause);
  const more = [...also.map((each) => withCause(each, cause)), ...records];
  const options = more.length > 0 ? [{ atomic: true }] : [];
  const [answer] = await store.commit([write, ...more], ...options);
  if (answer === undefined) throw new Error("the store answers each write");
  noteStored(beside, records, write, answer);
  return answer;
}

function besideWrites(beside: Beside | undefined, cause: Cause | undefined): readonly Write[] {
  if (beside === undefined || cause === undefined) return [];
  return beside.writes().map((each) => withCause(each, cause));
}

function noteStored(
  beside: Beside | undefined,
  records: readonly Write[],
  write: Write | undefined,
  answer: Answer | undefined,
): void {
  if (records.length === 0 || write === undefined) return;
  if (answer === undefined || answer.kind === "refused") return;
  beside?.stored(write.key, answer.revision);
}

function withCause(write: Write, cause: Cause): Write {
  return write.kind === "schedule" ? write : { ...write, cause };
}

async function settle({ live }: Intents, { served }: Target, revision: number): Promise<void> {
  if (live.has(served.id)) await live.reached(revision);
}

/** Tells a lost race, which an unconditional write may try again, from what is final. */
export function isLostRace(error: unknown): boolean {
  return isSetpointError(error, "resource.conflict");
}

/** The refusal of a plugin for a name that is taken or a counter that is exceeded. */
function worded(
  { admission }: Intents,
  admitted: AdmissionRequest | undefined,
  error: SetpointError,
): SetpointError | undefined {
  const fault = admitted === undefined ? undefined : heldFaultIn(error);
  if (admitted === undefined || fault === undefined) return undefined;
  return admission.refusal(admitted, fault);
}

function inWordsOfTheApi(target: Target, error: SetpointError): SetpointError {
  const { served, name } = target;
  switch (error.code) {
    case "resource.already_exists":
      return alreadyExists(served.kind, name);
    case "resource.not_found":
      return notFound(served.kind, name);
    // A record beside it was written by somebody else meanwhile.
    case "resource.group_refused":
    case "resource.conflict":
      return conflict(served.kind, name);
    case "counter.exceeded":
      return overQuota(served.kind, name, `exceeded quota: ${textAt(error.details, "counter")}`);
    default:
      return error;
  }
}
