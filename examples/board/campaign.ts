// A Campaign prints its posters, which takes 20 s, and then owns a Notice for each of its days.
import { setTimeout as sleep } from "node:timers/promises";
import { defineModule, describeKind, done, isReady, waiting } from "setpoint";
import type { Blocker, Context, Outcome, Resource } from "setpoint";

interface Campaign extends Resource {
  readonly spec: { readonly days: readonly string[]; readonly sloganFrom: string };
}

const notices = "notices.board.example";

const kind = describeKind({
  apiVersion: "board.example/v1",
  kind: "Campaign",
  plural: "campaigns",
  spec: {
    type: "object",
    required: ["days", "sloganFrom"],
    properties: {
      days: { type: "array", maxItems: 7, items: { type: "string" } },
      sloganFrom: { type: "string" },
    },
  },
});

async function reconcile(campaign: Campaign, context: Context): Promise<Outcome> {
  const reference = { kind: "configmaps", name: campaign.spec.sloganFrom };
  const found = await context.references.get(reference);
  if (found === undefined) return waiting(reference, { message: "the slogan is missing" });
  const { data } = found as { readonly data?: { readonly slogan?: string } };
  await printPosters(context);
  return await pinNotices(campaign, `${data?.slogan}`, context);
}

/** Each finished step is stored, so that only an interrupted step is repeated. */
async function printPosters({ perform, random, remember, signal }: Context): Promise<void> {
  const code = await remember("code", () => Math.floor(random.next() * 1_000));
  await perform({
    name: "posters",
    steps: [
      { name: "draw", run: async () => `drawing ${code}` },
      { name: "print", run: async () => await sleep(20_000, "printed", { signal }) },
    ],
  });
}

async function pinNotices(
  campaign: Campaign,
  slogan: string,
  { children }: Context,
): Promise<Outcome> {
  const { days } = campaign.spec;
  const nameOf = (day: string): string => `${campaign.metadata.name}-${day}`;
  for (const day of days) {
    await children.apply({
      apiVersion: "board.example/v1",
      kind: "Notice",
      metadata: { name: nameOf(day) },
      spec: { text: `${slogan} on ${day}` },
    });
  }
  const wanted = new Set(days.map(nameOf));
  const unready: Blocker[] = [];
  for (const child of await children.list(notices)) {
    const { name } = child.metadata;
    if (!wanted.has(name)) await children.delete({ kind: notices, name });
    else if (!isReady(child)) unready.push({ kind: notices, name, condition: "Ready" });
  }
  return unready.length === 0 ? done() : waiting(unready);
}

export default defineModule({
  name: "campaign",
  version: 1,
  kinds: [{ kind, reconciler: { reconcile } }],
});
