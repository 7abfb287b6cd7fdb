// Starts `warpbook debug --dap`, which has to be on the PATH, for every session of the type `warpbook`.
"use strict";

const vscode = require("vscode");

exports.activate = (context) => {
    const factory = { createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable("warpbook", ["debug", "--dap"]) };
    context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory("warpbook", factory));
};
