//! L4. Descriptions and chosen data of random models against enumeration.
