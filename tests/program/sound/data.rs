//! Descriptions of data, and data that is chosen.
