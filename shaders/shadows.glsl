// Soft round shadows on the ground, one per sphere, as instanced rectangles: black with the darkness as alpha.

#ifdef VERTEX
layout(location = 0) in vec3 place;    // middle of the shadow [m]
layout(location = 1) in vec2 reach;    // radius of the sphere, and half width of the soft rim [m]
layout(location = 2) in vec2 fall;     // length over width, and darkness (0 to 1)

uniform mat4 world_to_view;
uniform mat4 view_to_clip;
uniform vec3 lamp;                     // unit vector towards the lamp, in the world

out vec2 within;                       // position from the middle, with the length scaled to that of a circle [m]
flat out vec2 rim;
flat out float dark;

void main() {
    rim = reach;
    dark = fall.y;
    within = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * (reach.x + reach.y);
    vec2 along = normalize(lamp.xy);
    vec2 ground = place.xy + along * within.x * fall.x + vec2(-along.y, along.x) * within.y;
    gl_Position = view_to_clip * world_to_view * vec4(ground, place.z, 1.0);
}
#endif

#ifdef FRAGMENT
in vec2 within;
flat in vec2 rim;
flat in float dark;

out vec4 light;

void main() {
    float alpha = dark * (1.0 - smoothstep(rim.x - rim.y, rim.x + rim.y, length(within)));
    if (alpha <= 0.0) discard;
    light = vec4(0.0, 0.0, 0.0, alpha);
}
#endif
