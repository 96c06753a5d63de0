// Discs as instanced squares. The edge is computed, not sampled: one pixel wide at any zoom.
// Colours in and out are linear light, premultiplied on output.

#ifdef VERTEX
layout(location = 0) in vec2 centre;      // [m]
layout(location = 1) in float radius;     // [m]
layout(location = 2) in vec4 face;
layout(location = 3) in vec4 rim;
layout(location = 4) in float rim_width;  // [pixel]

uniform vec2 camera_centre;      // [m]
uniform vec2 camera_turn = vec2(1.0, 0.0);  // cosine and sine of the angle by which the table is drawn tilted
uniform float metres_per_pixel;
uniform vec2 framebuffer;        // [pixel]

out vec2 place;                  // from the centre of the disc [pixel]
flat out float edge;             // radius [pixel]
flat out float coverage;         // share of its light that a disc smaller than a pixel keeps
flat out vec4 face_colour;
flat out vec4 rim_colour;
flat out float rim_thickness;    // [pixel]

vec2 turned(vec2 way) {
    return vec2(dot(camera_turn, way), dot(vec2(-camera_turn.y, camera_turn.x), way));
}

void main() {
    float true_edge = radius / metres_per_pixel;
    edge = max(true_edge, 0.5);
    coverage = (true_edge * true_edge) / (edge * edge);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    place = corner * (edge + 1.0);
    vec2 pixel = turned(centre - camera_centre) / metres_per_pixel + place;
    gl_Position = vec4(pixel * 2.0 / framebuffer, 0.0, 1.0);
    face_colour = face;
    rim_colour = rim;
    rim_thickness = rim_width;
}
#endif

#ifdef FRAGMENT
in vec2 place;
flat in float edge;
flat in float coverage;
flat in vec4 face_colour;
flat in vec4 rim_colour;
flat in float rim_thickness;

uniform float relief;                 // strength of the spherical shading

out vec4 light;

const vec2 LAMP = vec2(-0.32, 0.55);  // direction of the lamp, seen from the grain: up and left

void main() {
    float distance = length(place);
    float inside = clamp(edge - distance + 0.5, 0.0, 1.0);
    if (inside <= 0.0) discard;
    float on_face = clamp(edge - rim_thickness - distance + 0.5, 0.0, 1.0);
    float lit = 1.0 + relief * dot(place / edge, LAMP) * face_colour.a;
    vec4 shaded = vec4(face_colour.rgb * lit * face_colour.a, face_colour.a);
    vec4 outline = vec4(rim_colour.rgb * rim_colour.a, rim_colour.a);
    float rim_share = rim_thickness > 0.0 ? 1.0 - on_face : 0.0;
    light = mix(shaded, outline, rim_share) * inside * coverage;
}
#endif
