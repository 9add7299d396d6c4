/** Tools by what they send while they run: log messages, progress, changed lists, an early end of the stream. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from 'omniport';
import { z } from 'zod';

/** How long `test_reconnection` goes on after its stream has ended. */
const RECONNECT_MS = 100;

export function register(app: Server): void {
  app.tool('test_tool_with_logging', { description: 'Sends three log messages.' }, (_, cx) => {
    cx.info('Tool execution started');
    cx.info('Tool processing data');
    cx.info('Tool execution completed');
    return 'Tool with logging executed successfully';
  });

  app.tool(
    'test_logging_tool',
    { description: 'Sends a log message, which only callers that asked for messages may see.' },
    (_, cx) => {
      cx.info('Diagnostic message');
      return 'Logging evaluated';
    },
  );

  app.tool('test_tool_with_progress', { description: 'Reports progress three times.' }, (_, cx) => {
    for (const done of [0, 50, 100]) cx.progress(done, 100, `Completed step ${done} of 100`);
    return 'Tool with progress executed successfully';
  });

  app.tool(
    'test_reconnection',
    { description: 'Ends its event stream before it answers, so that the client has to come back for the answer.' },
    async (_, cx) => {
      cx.closeStream();
      await sleep(RECONNECT_MS);
      return 'Reconnection test completed successfully';
    },
  );

  app.tool('test_streaming_elicitation', { description: 'Reports progress and then asks the user.' }, async (_, cx) => {
    cx.progress(50, 100);
    const answer = await cx.elicit('May the tool go on?', { goOn: z.boolean() });
    return `The user said ${answer.action}`;
  });

  registerChanges(app);
}

/** Registering a name again replaces what it named, and clients are told that the list has changed. */
function registerChanges(app: Server): void {
  const options = { description: 'Is registered anew by test_trigger_tool_change and test_trigger_prompt_change.' };
  const addTool = () => app.tool('test_replaceable_tool', options, () => 'Still here');
  const addPrompt = () => app.prompt('test_replaceable_prompt', options, () => 'Still here');
  addTool();
  addPrompt();

  app.tool('test_trigger_tool_change', { description: 'Changes the list of tools.' }, () => {
    addTool();
    return 'The tools have changed';
  });

  app.tool('test_trigger_prompt_change', { description: 'Changes the list of prompts.' }, () => {
    addPrompt();
    return 'The prompts have changed';
  });
}
