//! The shapes the engine must look into: versions, methods, request metadata, capabilities, definitions.
