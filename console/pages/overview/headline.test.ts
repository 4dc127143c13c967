import assert from "node:assert/strict";
import { test } from "node:test";
import { headline } from "./headline.ts";

test("the overview begins with what is wrong", () => {
  assert.equal(
    headline({ Failed: 4, Waiting: 11, Ready: 1_269 }, 1_284, ""),
    "4 of 1,284 resources have failed; 11 wait",
  );
  assert.equal(headline({ Failed: 1, Ready: 2 }, 3, "shop"), "1 of 3 resources in shop has failed");
  assert.equal(
    headline({ Waiting: 1, Ready: 2 }, 3, ""),
    "1 of 3 resources waits; none has failed",
  );
  assert.equal(
    headline({ Progressing: 2 }, 2, ""),
    "2 of 2 resources in progress; none has failed",
  );
  assert.equal(headline({ Ready: 3 }, 3, ""), "Nothing has failed among 3 resources");
  assert.equal(headline({}, 0, "shop"), "No resources yet in shop");
});
