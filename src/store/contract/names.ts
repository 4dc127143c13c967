/** Unique names: who may hold one, and when it is let go. */
import assert from "node:assert/strict";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  commit,
  del,
  exists,
  faultOf,
  gadgets,
  key,
  outcome,
  outcomes,
  put,
  refusal,
  schedule,
  wake,
} from "./samples.ts";

const [a, b] = [key("a"), key("b")];
const n = { scope: "dns", name: "x.example" };
const m = { scope: "dns", name: "y.example" };
/** Made for `a` and for `b`. */
const homeOfA = { scope: "paths", name: "/a", home: a };
const homeOfB = { scope: "paths", name: "/b", home: b };

export function namesContract(open: OpenStore): void {
  holding(open);
  atHome(open);
}

function holding(open: OpenStore): void {
  scenario(open, "a name has one holder; a second is refused and changes nothing", async (h) => {
    assert.equal(await h.store.nameHolder(n), undefined);
    await commit(h.store, put(a, { names: [n] }));
    assert.equal(await refusal(h.store, put(b, { names: [m, n] })), "name.taken");
    assert.equal(await h.store.get(b), undefined);
    assert.deepEqual(await h.store.nameHolder(n), a);
    assert.equal(await h.store.nameHolder(m), undefined);
  });

  scenario(open, "a refusal states the name and its holder", async (h) => {
    await commit(h.store, put(a, { names: [n] }));
    const fault = await faultOf(h.store, put(b, { names: [m, n] }));
    assert.deepEqual(fault, { ...n, holder: a });
  });

  scenario(open, "names are taken across kinds and namespaces", async (h) => {
    await commit(h.store, put(a, { names: [n] }));
    const elsewhere = put(key("z", "other", gadgets), { names: [n] });
    assert.equal(await refusal(h.store, elsewhere), "name.taken");
  });

  scenario(open, "the same name in another scope is another name", async (h) => {
    await commit(h.store, put(a, { names: [{ scope: "s", name: "t" }] }));
    await commit(h.store, put(b, { names: [{ scope: "t", name: "s" }] }));
    await commit(h.store, put(key("c"), { names: [{ scope: "s/t", name: "t" }] }));
    await commit(h.store, put(key("d"), { names: [{ scope: "s", name: "t/t" }] }));
    assert.deepEqual(await h.store.nameHolder({ scope: "t", name: "s" }), b);
  });

  scenario(open, "a put that says nothing about names keeps them", async (h) => {
    await commit(h.store, put(a, { names: [n] }));
    await commit(h.store, put(a, { when: exists, content: { spec: 2 } }));
    await commit(h.store, schedule(a, wake()));
    assert.deepEqual(await h.store.nameHolder(n), a);
  });

  scenario(open, "a put's names replace those held before", async (h) => {
    await commit(h.store, put(a, { names: [n] }));
    await commit(h.store, put(a, { when: exists, names: [m] }));
    assert.equal(await h.store.nameHolder(n), undefined);
    assert.deepEqual(await h.store.nameHolder(m), a);
    await commit(h.store, put(a, { when: exists, names: [m, n] }));
    await commit(h.store, put(a, { when: exists, names: [n, m] }));
    await commit(h.store, put(a, { when: exists, names: [] }));
    await commit(h.store, put(b, { names: [n, m] }));
    assert.deepEqual(await h.store.nameHolder(n), b);
  });

  scenario(open, "a deletion lets go of names, and a new life does not have them", async (h) => {
    await commit(h.store, put(a, { names: [n] }));
    await commit(h.store, del(a));
    assert.equal(await h.store.nameHolder(n), undefined);
    await commit(h.store, put(a));
    assert.equal(await h.store.nameHolder(n), undefined);
    await commit(h.store, put(b, { names: [n] }));
  });

  scenario(open, "names are judged only when each write of the group is right alone", async (h) => {
    await commit(h.store, put(a, { names: [n] }));
    const missing = put(key("missing"), { when: exists });
    const taker = put(b, { names: [n] });
    const answers = await h.store.commit([missing, taker], { atomic: true });
    assert.deepEqual(answers.map(outcome), ["resource.not_found", "resource.group_refused"]);
    const turned = await h.store.commit([taker, missing], { atomic: true });
    assert.deepEqual(turned.map(outcome), ["resource.group_refused", "resource.not_found"]);
  });

  scenario(open, "of many callers at once exactly one gets the name", async (h) => {
    const calls = Array.from({ length: 40 }, (_, i) =>
      h.store.commit([put(key(`c${i}`), { names: [n] })]),
    );
    const all = (await Promise.all(calls)).map(([first]) => outcome(first));
    assert.equal(all.filter((word) => word === "committed").length, 1);
    assert.equal(all.filter((word) => word === "name.taken").length, 39);
    assert.equal((await h.store.head()).revision, 1);
  });

  scenario(open, "names that are let go in a call can be taken later in it", async (h) => {
    await h.store.commit([put(a, { names: [n] }), put(b, { names: [m] })]);
    const apart = h.store.commit([del(a), put(key("c"), { names: [n] })]);
    assert.deepEqual(await outcomes(apart), ["committed", "committed"]);
    const group = [put(key("d"), { names: [m] }), del(b)];
    const together = h.store.commit(group, { atomic: true });
    assert.deepEqual(await outcomes(together), ["committed", "committed"]);
    assert.deepEqual(await h.store.nameHolder(n), key("c"));
    assert.deepEqual(await h.store.nameHolder(m), key("d"));
  });

  scenario(open, "who takes a name of another is refused alone, with its group", async (h) => {
    await h.store.commit([put(a), put(b, { names: [n] })]);
    const name = (i: number) => ({ scope: "dns", name: `${i}.example` });
    const calls = Array.from({ length: 20 }, (_, i) =>
      h.store.commit([put(key(`g${i}`)), put(key(`h${i}`), { names: [i === 7 ? n : name(i)] })], {
        atomic: true,
      }),
    );
    calls.push(h.store.commit([put(a, { names: [n] })]));
    const all = (await Promise.all(calls)).map((answers) => answers.map(outcome).join(" "));
    const refused = all.splice(7, 1);
    assert.deepEqual(refused, ["resource.group_refused name.taken"]);
    assert.equal(all.pop(), "resource.already_exists", "what is there comes before its names");
    assert.deepEqual([...new Set(all)], ["committed committed"]);
    assert.deepEqual(await h.store.nameHolder(name(8)), key("h8"));
    assert.deepEqual(await h.store.nameHolder(n), b);
  });
}

function atHome(open: OpenStore): void {
  scenario(open, "who is at home holds the name, and nobody else can take it", async (h) => {
    assert.equal(await h.store.nameHolder(homeOfA), undefined);
    await commit(h.store, put(a, { names: [homeOfA] }));
    assert.deepEqual(await h.store.nameHolder(homeOfA), a);
    assert.equal(await refusal(h.store, put(b, { names: [homeOfA] })), "name.taken");
    assert.equal(await h.store.get(b), undefined);
  });

  scenario(open, "a name is kept at home by whatever says nothing about it", async (h) => {
    await commit(h.store, put(a, { names: [homeOfA] }));
    await commit(h.store, put(a, { when: exists, content: { spec: 2 } }));
    await commit(h.store, put(a, { when: exists, content: { spec: 3 }, names: [homeOfA] }));
    await commit(h.store, schedule(a, wake()));
    assert.deepEqual(await h.store.nameHolder(homeOfA), a);
    assert.equal(await refusal(h.store, put(b, { names: [homeOfA] })), "name.taken");
  });

  scenario(open, "a name that somebody took keeps others from its home", async (h) => {
    await commit(h.store, put(b, { names: [homeOfA] }));
    assert.deepEqual(await h.store.nameHolder(homeOfA), b);
    assert.equal(await refusal(h.store, put(a, { names: [homeOfA] })), "name.taken");
    assert.equal(await h.store.get(a), undefined);
    await commit(h.store, del(b));
    await commit(h.store, put(a, { names: [homeOfA] }));
    assert.deepEqual(await h.store.nameHolder(homeOfA), a);
  });

  scenario(open, "who is deleted, or takes another name, leaves that of its home", async (h) => {
    await commit(h.store, put(a, { names: [homeOfA] }));
    await commit(h.store, put(a, { when: exists, names: [homeOfB] }));
    assert.equal(await h.store.nameHolder(homeOfA), undefined);
    assert.deepEqual(await h.store.nameHolder(homeOfB), a);
    await commit(h.store, put(key("c"), { names: [homeOfA] }));
    const home = put(a, { when: exists, names: [homeOfA] });
    assert.equal(await refusal(h.store, home), "name.taken");
    assert.deepEqual(await h.store.nameHolder(homeOfB), a, "it is where it was");
    await commit(h.store, del(key("c")));
    await commit(h.store, home);
    assert.deepEqual(await h.store.nameHolder(homeOfA), a);
    assert.equal(await h.store.nameHolder(homeOfB), undefined);
    await commit(h.store, del(a));
    assert.equal(await h.store.nameHolder(homeOfA), undefined);
    await commit(h.store, put(b, { names: [homeOfA] }));
  });

  scenario(open, "names of other scopes say nothing about home", async (h) => {
    await commit(h.store, put(a, { names: [homeOfA, n] }));
    assert.equal(await refusal(h.store, put(b, { names: [homeOfA] })), "name.taken");
    assert.equal(await refusal(h.store, put(b, { names: [n] })), "name.taken");
    const second = { scope: "paths", name: "/also-a" };
    await commit(h.store, put(a, { when: exists, names: [homeOfA, second] }));
    assert.equal(await refusal(h.store, put(b, { names: [homeOfA] })), "name.taken");
    assert.deepEqual(await h.store.nameHolder(homeOfA), a);
    assert.deepEqual(await h.store.nameHolder(second), a);
    await commit(h.store, put(b, { names: [n] }));
  });

  scenario(open, "in a group who leaves home makes room, whatever the order", async (h) => {
    await h.store.commit([put(a, { names: [homeOfA] }), put(b, { names: [homeOfB] })]);
    const swap = [
      put(a, { when: exists, names: [homeOfB] }),
      put(b, { when: exists, names: [homeOfA] }),
    ];
    const swapped = h.store.commit(swap, { atomic: true });
    assert.deepEqual(await outcomes(swapped), ["unchanged", "unchanged"]);
    assert.deepEqual(await h.store.nameHolder(homeOfA), b);
    assert.deepEqual(await h.store.nameHolder(homeOfB), a);
    const back = h.store.commit([del(a), put(b, { when: exists, names: [homeOfB] })], {
      atomic: true,
    });
    assert.deepEqual(await outcomes(back), ["committed", "unchanged"]);
    const taken = h.store.commit([put(key("c"), { names: [homeOfB] }), del(b)], { atomic: true });
    assert.deepEqual(await outcomes(taken), ["committed", "committed"]);
    assert.deepEqual(await h.store.nameHolder(homeOfB), key("c"));
  });

  scenario(
    open,
    "in a group who stays at home is in the way, and the earlier taker wins",
    async (h) => {
      await commit(h.store, put(a, { names: [homeOfA] }));
      const kept = [put(b, { names: [homeOfA] }), put(a, { when: exists, content: { spec: 2 } })];
      const refused = ["name.taken", "resource.group_refused"];
      assert.deepEqual(await outcomes(h.store.commit(kept, { atomic: true })), refused);
      const both = [put(key("c"), { names: [homeOfB] }), put(b, { names: [homeOfB] })];
      const late = ["resource.group_refused", "name.taken"];
      assert.deepEqual(await outcomes(h.store.commit(both, { atomic: true })), late);
      const turned = await outcomes(h.store.commit(both.toReversed(), { atomic: true }));
      assert.deepEqual(turned, late);
      assert.equal(await h.store.nameHolder(homeOfB), undefined);
    },
  );

  scenario(open, "of many who take a name at once, at home or not, one gets it", async (h) => {
    const takers = [a, b, ...Array.from({ length: 20 }, (_, i) => key(`c${i}`))];
    const calls = takers.map((taker) => h.store.commit([put(taker, { names: [homeOfB] })]));
    const all = (await Promise.all(calls)).map(([first]) => outcome(first));
    assert.equal(all.filter((word) => word === "committed").length, 1);
    assert.equal(all.filter((word) => word === "name.taken").length, 21);
  });
}
