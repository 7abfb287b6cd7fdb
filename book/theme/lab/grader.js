// The grader in a Web Worker: `wbGrader.judge(exercise, text, compiled, progress, { told })` gives the answer that `warpbook exercise
// check` gives, by the same code. What judges an exercise comes in a script of its own, when it is needed first.
//
// `compiled` is what a compiler made of the text of a kernel: `{ ptx, debug_ptx, warnings }`, or `{ rejected: LOG }`; answers to
// questions need none.
"use strict";

window.wbGrader = (() => {
    const worker = window.wbWorker("exercises");
    const bundle = async (exercise) => JSON.parse(new TextDecoder().decode(await window.wbLab.bytes(`course/${exercise}`)));

    /** An operation on an exercise: `{ ok }` or `{ error: { kind, message } }`. It never rejects. */
    const ask = async (op, exercise, more, options) => {
        try {
            return await worker.ask({ op, course: await bundle(exercise), exercise, ...more }, options);
        } catch (error) {
            return { error: { kind: "missing", message: error.message } };
        }
    };

    return {
        judge: (exercise, text, compiled, progress, options) =>
            ask("check", exercise, { text, compiled: compiled ?? undefined, progress: progress ?? "" }, options),
        starter: (exercise) => ask("starter", exercise, {}),
        stop: worker.stop,
        warm: worker.warm,
    };
})();
